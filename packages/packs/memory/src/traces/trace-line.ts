import { quoteName, renderList, type ListPage, type Stored } from "@toolpacks/core";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import type { trace } from "./trace.ts";

/** A trace in tool results. */
export const traceFields = z.object({
  id: z.string(),
  tool: z.string(),
  pack: z.string().optional(),
  mutates: z.boolean().optional(),
  at: z.string(),
  outcome: z.string(),
  ms: z.number(),
  goal: z.string().optional(),
  args: z.string().optional(),
  result: z.string().optional(),
  session: z.string().optional(),
  /** The store's generation when the trace was written. Earlier writes of the call have lower ones. */
  storeGeneration: z.int().optional(),
});

export type TraceFields = z.output<typeof traceFields>;

/** A stored trace in tool results. */
export function foundTrace({ id, generation, data }: Stored<z.output<typeof trace.schema>>): TraceFields {
  return { id, ...data, storeGeneration: generation };
}

const maxGoalLength = 120;
const maxArgsLength = 160;
const maxResultLength = 160;

/** Renders a page of traces. */
export function renderTraces(page: ListPage<TraceFields>): string {
  return renderList({ ...page, items: traceLines(page.items) }, (line) => line);
}

type ShownTrace = Omit<TraceFields, "id">;

/** Each trace as one line, without its id and session. Traces in a row with the same goal have it once, in a line above them. */
export function traceLines(traces: readonly ShownTrace[]): string[] {
  return traces.map((trace, at) => {
    const { goal } = trace;
    if (goal === undefined) return traceLine(trace);
    const isSame = traces[at - 1]?.goal === goal;
    return `${isSame ? "" : `goal: ${cutText(goal, maxGoalLength)}\n`}  ${traceLine(trace)}`;
  });
}

function traceLine({ at, tool, outcome, ms, args, result }: ShownTrace): string {
  return [
    `${at.slice(0, 19)} ${quoteName(tool)}`,
    ...(args === undefined ? [] : [cutText(args, maxArgsLength)]),
    `-> ${outcomeText(outcome)}${cutText(result ?? "", maxResultLength)}`,
    `${Math.round(ms)} ms`,
  ].join(" ");
}

function outcomeText(outcome: string): string {
  if (outcome === "ok") return "";
  return `${outcome === "denied" ? "refused" : "failed"} (${quoteName(outcome)}): `;
}
