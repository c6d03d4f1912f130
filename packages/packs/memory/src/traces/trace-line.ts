import { quoteName, type Stored } from "@toolpacks/core";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import type { trace } from "./trace.ts";

/** A trace in tool results. */
export const traceFields = z.object({
  id: z.string(),
  tool: z.string(),
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

/** A trace as one line, without its id and session. */
export function traceLine({ at, tool, outcome, ms, goal, args, result }: TraceFields): string {
  return [
    `${at.slice(0, 19)} ${quoteName(tool)}`,
    ...(args === undefined ? [] : [cutText(args, maxArgsLength)]),
    `-> ${outcome === "ok" ? "" : `${quoteName(outcome)}: `}${cutText(result ?? "", maxResultLength)}`,
    `${Math.round(ms)} ms`,
    ...(goal === undefined ? [] : [`(goal: ${cutText(goal, maxGoalLength)})`]),
  ].join(" ");
}
