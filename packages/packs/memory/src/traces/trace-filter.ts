import { definedOnly, detail, ToolError, type Filter } from "@toolpacks/core";
import { z } from "zod";

/** Input fields of both trace tools that select traces. */
export const traceFilterFields = {
  tool: z.string().min(1).max(200).optional().meta(detail("only its calls; issue_*: of every tool that begins so")),
  pack: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta(detail("only calls of this pack or server, such as issues or github")),
  outcome: z.string().min(1).max(200).optional().meta(detail("ok, failed (any error), or an error code")),
  mutates: z.boolean().optional().meta(detail("true: only calls that may have changed something")),
};

const selection = z.object(traceFilterFields);

/** @throws ToolError `invalid_input` for a pattern whose `*` is not at its end */
export function traceFilter({ tool, pack, outcome, mutates }: z.output<typeof selection>): Filter {
  return {
    ...(tool !== undefined && toolFilter(tool)),
    ...(outcome !== undefined && (outcome === "failed" ? { not: { outcome: "ok" } } : { outcome })),
    ...definedOnly({ pack, mutates }),
  };
}

function toolFilter(tool: string): Filter {
  const prefix = tool.endsWith("*") ? tool.slice(0, -1) : undefined;
  if ((prefix ?? tool).includes("*")) {
    throw new ToolError("invalid_input", `tool: expected a name, or the beginning of names with * at the end: issue_*`);
  }
  if (prefix === undefined) return { tool };
  // Strings compare by code point, so every name with the prefix is below the prefix with the last code point.
  return prefix === "" ? {} : { tool: { gte: prefix, lt: `${prefix}\u{10FFFF}` } };
}
