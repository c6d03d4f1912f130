import { z } from "zod";

/** Limits of one run. */
export const runLimits = z.strictObject({
  maxSteps: z.int().min(1).max(1_000_000).default(20_000).describe("steps, counted for each round of a loop"),
  maxBytes: z.int().min(1_000).max(1_000_000_000).default(134_217_728).describe("bytes of all results"),
  maxSeconds: z.number().positive().max(2_000_000).default(3_600).describe("duration in seconds"),
  maxExpressionSeconds: z.number().positive().max(3_600).default(5).describe("seconds of expressions, and of a script"),
  maxConcurrency: z.int().min(1).max(1_000).default(32).describe("calls in progress at once"),
});

export type RunLimits = Readonly<z.output<typeof runLimits>>;
