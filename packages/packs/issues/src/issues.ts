import { absolutePaths, definePack, listOption, storeSchema } from "@toolpacks/core";
import { z } from "zod";
import { issueKind } from "./issue-kind.ts";

/** The issues pack: an issue tracker with dependencies, readiness and claims. */
export const issues = definePack({
  name: "issues",
  description: "Track work as issues with dependencies: what is ready, blocked, claimed, done.",
  budget: 1_000,
  options: z.strictObject({
    store: storeSchema,
    prefix: z
      .string()
      .regex(/^[a-z][a-z0-9]{0,19}$/)
      .default("bd")
      .describe("what new ids begin with"),
    actor: z.string().min(1).max(200).optional().describe("who calls, where the process serves one session"),
    leaseMinutes: z.int().min(1).max(100_000).default(60).describe("minutes that a claim holds"),
    gates: z
      .array(z.string().regex(/^[a-z][\w:-]{0,39}$/))
      .max(50)
      .default([])
      .describe("other things that a gate may wait for, such as gh:pr, whose gates a workflow closes"),
    roots: z.array(z.string().min(1)).default([]).describe("directories within which files may be imported"),
    write: z.boolean().default(false).describe("let issue_export write files there"),
    protectedPaths: absolutePaths.describe("absolute paths of files and folders that are never written"),
    list: listOption("issues", { over: 20, show: 5 }),
  }),
  kinds: ({ prefix, gates }) => [issueKind({ prefix, gates })],
  tools: async ({ list, prefix, gates, actor, ...options }) =>
    (await import("./tools.ts")).createTools({
      ...options,
      actor,
      compaction: list,
      kind: issueKind({ prefix, gates }),
    }),
});
