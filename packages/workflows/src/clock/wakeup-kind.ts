import { defineKind } from "@toolpacks/core";
import { z } from "zod";
import { jsonText } from "../report/json-text.ts";

/**
 * A run that the clock looks at: at its time, or when its issue is closed. A record with a workflow is a run to start; it is deleted in the transaction
 * that writes the run's report. A record with a report is a run to go on with; it is deleted in the transaction that claims the report.
 */
export const wakeupKind = defineKind({
  name: "run_wakeup",
  description: "A run of a workflow that starts or goes on by itself.",
  schema: () =>
    z.object({
      report: z.string().max(200).optional(),
      workflow: z.string().max(100).optional(),
      input: jsonText().optional(),
      due: z.string().max(40).optional().describe("ISO 8601; while a process works on it, the end of its lease"),
      issue: z.string().max(200).optional(),
      caller: z.string().max(300).optional().describe("the principal; absent: the local user"),
      attempts: z.int().default(0).describe("how often it could not begin"),
    }),
  indexes: ["due", "issue", "report"],
  sealed: true,
});

/** How far a trigger of a workflow has come. */
export const triggerKind = defineKind({
  name: "run_trigger",
  description: "When a workflow starts by itself next.",
  schema: () =>
    z.object({
      workflow: z.string().max(100),
      due: z.string().max(40).optional().describe("the next time, ISO 8601"),
      readUntil: z.int().optional().describe("the generation of the last change that started a run"),
    }),
  sealed: true,
});

const listeners = new Set<() => void>();

/** Calls a listener when a run of this process waits for the clock. Returns a function that stops it. */
export function onWakeup(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function noticeWakeup(): void {
  for (const listener of listeners) listener();
}
