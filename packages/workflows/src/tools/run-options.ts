import { detail } from "@toolpacks/core";
import { z } from "zod";
import { onErrors } from "../definition/step-kinds.ts";

const ids = z.array(z.string().min(1).max(200)).max(200).optional();

/** Options of every tool that starts a run. */
export const runFields = {
  input: z.record(z.string().max(200), z.unknown()).optional().meta(detail("the workflow's input")),
  dryRun: z.boolean().optional().meta(detail("change nothing; tell what would be called")),
  only: ids.meta(detail("ids of the steps to run")),
  skip: ids.meta(detail("ids of steps to leave out")),
  onError: z.enum(onErrors).optional().meta(detail("after a failed step; default: the workflow's")),
};

export const workflowField = z.string().min(1).max(200);

/** The id of a report. */
export const reportField = z.string().min(1).max(200);

/** A request to run a single step. */
export const oneStep = z.object({
  name: workflowField.describe("a configured workflow"),
  step: z.string().min(1).max(100).describe("the step's id"),
  input: runFields.input,
  from: reportField.optional().describe("a report whose results of the other steps it may refer to"),
  dryRun: runFields.dryRun,
});

export type OneStep = Readonly<z.output<typeof oneStep>>;
