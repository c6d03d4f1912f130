import { defineKind } from "@toolpacks/core";
import { z } from "zod";
import { jsonText } from "./json-text.ts";
import { keptSteps } from "./kept-steps.ts";

export const reportStatuses = ["running", "ok", "failed", "dry", "nothing_ran", "cancelled", "interrupted"] as const;

export type ReportStatus = (typeof reportStatuses)[number];

/** The report of a run. Its id is a generation. */
export const reportKind = defineKind({
  name: "report",
  description: "What a run of a workflow did: workflow_report shows it with its steps.",
  schema: z.object({
    run: z.int().describe("the generation that was taken for it, which is its id"),
    written: z.int().describe("the generation that it was first written at, which reports are in order of"),
    workflow: z.string().max(100),
    status: z.enum(reportStatuses),
    started: z.string().max(40),
    ended: z.string().max(40).optional(),
    reason: z.string().max(2_000).optional().describe("why it ended early"),
    counts: z.record(z.string(), z.int()).describe("steps by status"),
    resumes: z.int().optional().describe("the run that it goes on with"),
    resumedBy: z.int().optional(),
    heartbeat: z.string().max(40).describe("when whoever runs it was last seen"),
    owner: z.strictObject({ host: z.string().max(300), pid: z.int(), process: z.string().max(40) }),
    plan: jsonText().describe("definition, input and options, as JSON"),
    planDigest: z.string().max(100).optional().describe("SHA-256 of workflow and plan"),
    steps: jsonText(keptSteps).optional().describe("as JSON, where the run was over before any was written"),
    masked: z.literal(true).optional().describe("what looks like a secret is not kept any more"),
    last: z.string().max(1_000).optional().describe("the step whose result is the run's"),
  }),
  // A resumed run trusts its report, so only the workflow tools may write it.
  sealed: true,
  // The plan and steps of a run that may be resumed hold its input and results unmasked.
  hidden: ["plan", "steps"],
  indexes: ["written", ["workflow", "written"], ["status", "written"], "started"],
  summary: ["workflow", "status", "started", "ended", "reason"],
});
