import { defineKind } from "@toolpacks/core";
import { z } from "zod";
import { entrySchema } from "./entry.ts";
import { jsonText } from "./json-text.ts";

export const reportStatuses = [
  "running",
  "ok",
  "failed",
  "dry",
  "nothing_ran",
  "cancelled",
  "interrupted",
  "waiting",
  "resumed",
] as const;

export type ReportStatus = (typeof reportStatuses)[number];

/** The report of a run. */
export const reportKind = defineKind({
  name: "report",
  description: "What a run of a workflow did: workflow_report shows it with its steps.",
  schema: () =>
    z.object({
      workflow: z.string().max(100),
      status: z.enum(reportStatuses),
      started: z.string().max(40),
      ended: z.string().max(40).optional(),
      reason: z.string().max(2_000).optional().describe("why it ended early"),
      counts: z.record(z.string(), z.int()).describe("steps by status"),
      resumes: z.string().max(200).optional().describe("the report that it goes on with"),
      resumedBy: z.string().max(200).optional(),
      heartbeat: z.string().max(40).describe("when its process was last seen"),
      caller: z.string().max(300).optional().describe("the principal; absent: the local user"),
      owner: z.strictObject({ host: z.string().max(300), pid: z.int(), process: z.string().max(40) }),
      /** Definition, input and options. */
      plan: jsonText(),
      /** SHA-256 of the report's id, workflow and plan. */
      planDigest: z.string().max(100).optional(),
      /** What a waiting run waits for. */
      waits: jsonText().optional(),
      /** Changing calls of scripts that began and have no entry yet: the path of each, and the report in which it began. */
      pending: z.record(z.string().max(1_000), z.string().max(100)).optional(),
      /** What looks like a secret is not kept any more. */
      masked: z.literal(true).optional(),
      last: z.string().max(1_000).optional().describe("the step whose result is the run's"),
    }),
  // A resumed run trusts its report, so only the workflow tools may write it.
  sealed: true,
  // The plan of a run that may be resumed holds its input unmasked.
  hidden: ["plan", "waits", "pending"],
  owner: "caller",
  indexes: ["started", ["workflow", "started"], ["status", "started"], ["caller", "started"]],
  summary: ["workflow", "status", "started", "ended", "reason"],
});

/** One step of a report. Text fields hold JSON, so that any value can be stored. */
export const reportStepKind = defineKind({
  name: "report_step",
  schema: () =>
    z.object({
      report: z.string().max(200),
      path: z.string().max(900),
      order: z.string().max(900),
      entry: jsonText(entrySchema),
      /** JSON of the result, if it is short. */
      result: jsonText().optional(),
    }),
  indexes: [
    ["report", "order"],
    ["report", "path"],
  ],
});
