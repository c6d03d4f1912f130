import { detail } from "@toolpacks/core";
import { z } from "zod";
import { onErrors } from "../definition/step-kinds.ts";

/** Options of every tool that starts a run. */
export const runFields = {
  input: z.record(z.string().max(200), z.unknown()).optional().meta(detail("the workflow's input")),
  dryRun: z.boolean().optional().meta(detail("change nothing; tell what would be called")),
  onError: z.enum(onErrors).optional().meta(detail("after a failed step; default: the workflow's")),
};

export const workflowField = z.string().min(1).max(200);

/** The id of a report. */
export const reportField = z.string().min(1).max(200);
