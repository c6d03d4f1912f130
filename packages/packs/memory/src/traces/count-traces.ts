import { everyRecord, type UnpagedQuery } from "@toolpacks/store";
import type { Store, ToolContext } from "@toolpacks/core";
import { z } from "zod";
import { trace } from "./trace.ts";
import { isRefused, outcomeLabel, toolLabel } from "./trace-line.ts";

export const countKeys = ["tool", "outcome", "pack", "session"] as const;

/** How often calls of one tool, outcome, pack or session occur. */
export const traceCount = z.object({
  name: z.string(),
  calls: z.int(),
  mutating: z.int().describe("of tools that may change something"),
  failed: z.int().describe("without the refused ones"),
  refused: z.int(),
});

type TraceCount = z.output<typeof traceCount>;

/** Maximum number of calls that one request counts, the newest first. */
const maxCounted = 20_000;
/** A trace has a few kB, and a page is in memory at once. */
const pageSize = 500;

interface CountRequest {
  readonly query: UnpagedQuery;
  readonly by: (typeof countKeys)[number];
  readonly context: ToolContext;
  readonly limit: number;
}

/** Counts the calls that a query finds: all together, then the most frequent first. */
export async function countTraces(store: Store, { query, by, context, limit }: CountRequest) {
  const { toolNames, signal } = context;
  const all = emptyCount("all");
  const counts = new Map<string, TraceCount>();
  const hints: string[] = [];
  for await (const { data } of everyRecord(store, trace, { ...query, sort: ["-at"], skipDamaged: true, pageSize })) {
    signal.throwIfAborted();
    if (all.calls === maxCounted) {
      hints.push(`Only the newest ${maxCounted} are counted: name a time.`);
      break;
    }
    const { tool, pack = "unknown", session = "unknown" } = data;
    const name = { tool: toolNames?.shown(tool) ?? tool, outcome: outcomeLabel(data), pack, session }[by];
    let count = counts.get(name);
    if (count === undefined) counts.set(name, (count = emptyCount(name)));
    for (const one of [all, count]) add(one, data);
  }
  const sorted = [...counts.values()].toSorted((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
  if (sorted.length > limit) hints.push(`${limit} of ${sorted.length} are shown: name a limit.`);
  return { counts: [all, ...sorted.slice(0, limit)], hint: hints.join("\n") || undefined };
}

function emptyCount(name: string): TraceCount {
  return { name, calls: 0, mutating: 0, failed: 0, refused: 0 };
}

function add(count: TraceCount, data: z.output<typeof trace.schema>): void {
  count.calls += 1;
  if (data.mutates === true) count.mutating += 1;
  if (isRefused(data)) count.refused += 1;
  else if (data.outcome !== "ok") count.failed += 1;
}

export function renderCounts(counts: readonly TraceCount[], hint: string | undefined): string {
  if (counts[0]?.calls === 0) return "none";
  return [...counts.map(countLine), ...(hint === undefined ? [] : [hint])].join("\n");
}

function countLine({ name, calls, mutating, failed, refused }: TraceCount): string {
  const isOutcome = outcomeName.test(name);
  const parts = [
    `${calls} ${calls === 1 ? "call" : "calls"}`,
    ...(mutating > 0 ? [`${mutating} mutating`] : []),
    ...(failed > 0 && !isOutcome ? [`${failed} failed`] : []),
    ...(refused > 0 && !isOutcome ? [`${refused} refused`] : []),
  ];
  return `${isOutcome ? name : toolLabel(name)}: ${parts.join(", ")}`;
}

const outcomeName = /^(?:failed|refused) \([a-z_]+\)$/;
