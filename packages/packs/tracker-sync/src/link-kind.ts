import { createHash } from "node:crypto";
import { defineKind } from "@toolpacks/core";
import { z } from "zod";

const digests = z.record(z.string(), z.string().max(40));

/**
 * What is known of an issue that is in another tracker, too. While it has no `ref`, its creation there was begun and its end is not known.
 */
export const linkKind = defineKind({
  name: "issue_link",
  description: "The state of an issue at its last synchronization with another tracker.",
  schema: () =>
    z.object({
      sync: z.string().max(200).describe("the entry of servers"),
      issue: z.string().max(200),
      ref: z.string().max(250).optional().describe("external_ref of the issue"),
      here: digests.default({}).describe("digest of each field here, as the tracker would have it"),
      there: digests.default({}).describe("digest of each field there"),
      title: z.string().max(40).optional().describe("digest of the title with which a creation began"),
      began: z.string().max(40).optional().describe("when a creation without an answer began, ISO 8601"),
      stored: z.boolean().optional().describe("whether the issue has had the reference"),
    }),
  indexes: ["sync"],
  sealed: true,
});

export type Link = z.output<(typeof linkKind)["schema"]>;

export function linkId(sync: string, issue: string): string {
  return createHash("sha256")
    .update(JSON.stringify([sync, issue]))
    .digest("base64url");
}
