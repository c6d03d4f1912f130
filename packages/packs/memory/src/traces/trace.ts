import { defineKind } from "@toolpacks/core";
import { z } from "zod";

/** The trace kind: one dispatched call. Arguments and result are cut, and secrets are masked. */
export const trace = defineKind({
  name: "trace",
  description: "A tool call that was made: why, with what, and what came of it.",
  schema: () =>
    z.object({
      tool: z.string().max(64),
      pack: z.string().max(200).optional().describe("the tool's pack or server"),
      mutates: z.boolean().optional().describe("whether the tool may change anything"),
      args: z.string().max(4_000).optional().describe("JSON, cut"),
      result: z.string().max(1_000).optional().describe("one line of it"),
      outcome: z.string().max(20).describe("ok, or the failure's code"),
      refused: z.boolean().optional().describe("true: the tool did not run"),
      ms: z.number().min(0).describe("how long the call took"),
      at: z.iso.datetime().describe("when it began"),
      session: z.string().max(200).optional(),
      batch: z.string().max(40).optional().describe("the same for the calls of a batch"),
      goal: z.string().max(2_000).optional(),
      memory: z.string().max(2_000).optional(),
      constraints: z.string().max(2_000).optional(),
      caller: z.string().max(300).optional().describe("the principal; absent: the local user"),
    }),
  // Only the server writes traces.
  sealed: true,
  owner: "caller",
  indexes: ["tool", "outcome", "refused", "session", "at", ["caller", "at"], ["pack", "mutates"]],
  text: ["goal", "tool", "args", "result", "outcome", "memory", "constraints", "session"],
  summary: ["tool", "goal", "result", "outcome", "at", "ms"],
  keywords: ["log", "history", "audit", "what happened"],
});
