import { estimateTokens } from "@toolpacks/core";
import { z } from "zod";
import { visibleLines } from "../cut-text.ts";
import type { BriefingPart } from "./briefing-part.ts";

export const briefing = z.object({
  workspace: z.string(),
  notice: z.string().optional(),
  parts: z.array(z.object({ title: z.string(), lines: z.array(z.string()) })).describe("most important first"),
  leftOut: z.array(z.string()).optional().describe("what the budget left out, with the tools that show it"),
});
export type Briefing = z.output<typeof briefing>;

/** The share of the token budget to use. The rest allows for errors of the estimate. */
const safetyFactor = 0.8;

/**
 * Fills a token budget with lines: of the parts that come first, of the others, and of those that come last. Of several parts, the first line of each,
 * the most important part first, then the second lines, and so on. So a long part does not displace a short one. A part whose next line does not fit gets no more lines.
 *
 * @param parts the most important part first
 */
export function fitBriefing(
  head: Pick<Briefing, "workspace" | "notice">,
  parts: readonly BriefingPart[],
  tokens: number,
): Briefing {
  const budget = tokens * safetyFactor;
  const counts = parts.map(() => 0);
  const current = () => {
    const shown = parts.map(({ title, lines }, at) => ({ title, lines: lines.slice(0, counts[at]) }));
    const leftOut = parts.flatMap((part, at) => part.leftOut(counts[at] ?? 0) ?? []);
    return { ...head, parts: shown.filter(({ lines }) => lines.length > 0), leftOut };
  };
  const fill = (chosen: Iterable<number>, most: number) => {
    const open = new Set(chosen);
    while (open.size > 0) {
      for (const at of open) {
        const count = counts[at] ?? 0;
        counts[at] = count + 1;
        const isPast = count >= (parts[at]?.lines.length ?? 0);
        if (!isPast && sizeOf(current()) <= most) continue;
        counts[at] = count;
        open.delete(at);
      }
    }
  };
  const all = [...parts.keys()];
  const first = all.filter((at) => parts[at]?.comes === "first");
  const notLast = all.filter((at) => parts[at]?.comes !== "last");
  fill(first, budget / 2);
  fill(notLast, (budget * 3) / 4);
  fill(all, budget);
  const briefing = current();
  // The budget may be too small for all entries.
  while (briefing.leftOut.length > 0 && sizeOf(briefing) > budget) briefing.leftOut.pop();
  return { ...briefing, leftOut: briefing.leftOut.length > 0 ? briefing.leftOut : undefined };
}

/** The token count of the larger form of the result: text or JSON. */
function sizeOf(briefing: Briefing): number {
  return Math.max(estimateTokens(renderBriefing(briefing)), estimateTokens(JSON.stringify(briefing)));
}

/** Renders each line of a record as a list item, so that no record can look like a title. */
export function renderBriefing({ workspace, notice, parts, leftOut = [] }: Briefing): string {
  if (parts.length === 0) return `Nothing is recorded in the workspace ${workspace} yet.`;
  return [
    `Briefing for the workspace ${workspace}`,
    ...(notice === undefined ? [] : [notice]),
    ...parts.flatMap(({ title, lines }) => ["", `${title}:`, ...lines.map((line) => `- ${visibleLines(line)}`)]),
    ...(leftOut.length === 0 ? [] : ["", `Left out: ${leftOut.join("; ")}`]),
  ].join("\n");
}
