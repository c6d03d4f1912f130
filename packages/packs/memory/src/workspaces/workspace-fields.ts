import { detail, quoteName, visibleText } from "@toolpacks/core";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import { recordName } from "../fields.ts";

export const workspaceName = recordName.meta(detail("at most 100 characters"));
export const purpose = z.string().max(20_000).optional().meta(detail("what it is for"));
export const files = z.array(z.string().min(1).max(1_000)).max(200).optional().meta(detail("key files"));

/** A workspace in tool results. */
export const described = z.object({
  name: z.string(),
  purpose: z.string().optional(),
  files: z.array(z.string()).optional(),
  archived: z.string().optional(),
});

type Described = z.output<typeof described>;

export function workspaceLine({ name, purpose, files = [], archived }: Described): string {
  const parts = [
    quoteName(name),
    ...(purpose === undefined ? [] : [visibleText(cutText(purpose, purpose.length))]),
    ...(files.length === 0 ? [] : [files.map(quoteName).join(", ")]),
  ];
  return `${parts.join(" | ")}${archived === undefined ? "" : ` (archived ${archived.slice(0, 10)})`}`;
}
