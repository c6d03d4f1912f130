import { quoteName } from "@toolpacks/core";
import { z } from "zod";
import { cutText } from "../cut-text.ts";

/** A trace as its tools answer it. */
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
  storeGeneration: z.int().optional(),
});

export type TraceFields = z.output<typeof traceFields>;

const maxGoalLength = 120;
const maxArgsLength = 160;
const maxResultLength = 160;

/** One line, without what it says of itself: the id is for `store_query`, the session is what one asked for. */
export function traceLine({ at, tool, outcome, ms, goal, args, result }: TraceFields): string {
  return [
    `${at.slice(0, 19)} ${quoteName(tool)}`,
    ...(args === undefined ? [] : [cutText(args, maxArgsLength)]),
    `-> ${outcome === "ok" ? "" : `${quoteName(outcome)}: `}${cutText(result ?? "", maxResultLength)}`,
    `${Math.round(ms)} ms`,
    ...(goal === undefined ? [] : [`(goal: ${cutText(goal, maxGoalLength)})`]),
  ].join(" ");
}
