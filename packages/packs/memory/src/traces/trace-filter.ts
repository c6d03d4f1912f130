import { detail, errorCodes, ToolError, type Filter, type ToolContext } from "@toolpacks/core";
import { z } from "zod";

/** Input fields of both trace tools that select traces. */
export const traceFilterFields = {
  tool: z.string().min(1).max(200).optional().meta(detail("only its calls; issue_*: of every tool that begins so")),
  pack: z.string().min(1).max(200).optional().meta(detail("only of this pack or server, such as github")),
  outcome: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(50)
    .optional()
    .meta(detail("ok, failed (any error), refused (it did not run), or a code such as not_found")),
  mutates: z.boolean().optional().meta(detail("true: only calls that may have changed something")),
};

const selection = z.object(traceFilterFields);

/** @throws ToolError `invalid_input` for an unknown outcome, and for a pattern whose `*` is not at its end */
export function traceFilter(
  { tool, pack, outcome, mutates }: z.output<typeof selection>,
  { toolNames }: ToolContext,
): Filter {
  return {
    pack,
    mutates,
    or: outcome?.map(outcomeFilter),
    and: tool === undefined ? undefined : [toolFilter(tool, toolNames)],
  };
}

const outcomeGroups = ["ok", "failed", "refused"] as const;

function outcomeFilter(outcome: string): Filter {
  if (outcome === "failed") return { not: { outcome: "ok" } };
  // A tool may refuse a call, too.
  if (outcome === "refused") return { or: [{ refused: true }, { outcome: "denied" }] };
  const known: readonly string[] = [...outcomeGroups, ...errorCodes];
  if (known.includes(outcome)) return { outcome };
  const problem = `outcome: unknown outcome ${JSON.stringify(outcome)}`;
  throw new ToolError("invalid_input", problem, `Outcomes: ${known.join(", ")}.`);
}

const everyToolOf = /^([\w-]+): *\*$/;

function toolFilter(tool: string, toolNames: ToolContext["toolNames"]): Filter {
  const pack = everyToolOf.exec(tool)?.[1];
  if (pack !== undefined) return { pack };
  const named = toolNames?.find(tool);
  if (named !== undefined) return { tool: { in: named } };
  const prefix = tool.endsWith("*") ? tool.slice(0, -1) : undefined;
  if ((prefix ?? tool).includes("*")) {
    throw new ToolError("invalid_input", `tool: expected a name, or the beginning of names with * at the end: issue_*`);
  }
  if (prefix === undefined) return { tool };
  // Strings compare by code point, so every name with the prefix is below the prefix with the last code point.
  return prefix === "" ? {} : { tool: { gte: prefix, lt: `${prefix}\u{10FFFF}` } };
}
