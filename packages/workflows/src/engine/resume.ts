import { ToolError } from "@toolpacks/core";
import { compileInline } from "../definition/compile-inline.ts";
import type { Workflow } from "../definition/workflow.ts";
import { planToResume, type Plan } from "../report/plan.ts";
import { findReport, readStep } from "../report/read-report.ts";
import type { ReportHead } from "../report/report-head.ts";
import type { Engine, Run } from "./run.ts";
import type { RunRequest } from "./run-workflow.ts";

/**
 * The request that continues a run that ended early. Finished steps are taken from its report.
 *
 * @throws ToolError `not_found`; `conflict` when the run is running, succeeded, was resumed before, or its workflow has changed
 */
export async function resumedRequest(engine: Engine, report: string, principal: string): Promise<RunRequest> {
  const head = await findReport(engine, { report, principal });
  const plan = planToResume(head);
  const workflow = await sameWorkflow(engine, head, plan);
  const { inline, input, options } = plan;
  return { workflow, inline, input, options, resumes: head, earlier: earlierSteps(engine, head) };
}

async function sameWorkflow({ library, inline }: Engine, { data }: ReportHead, plan: Plan): Promise<Workflow> {
  if (plan.inline) return compileInline(plan.source, { library, allowed: inline });
  const workflow = await library.find(data.workflow);
  if (JSON.stringify(workflow.source) === JSON.stringify(plan.source)) return workflow;
  throw new ToolError(
    "conflict",
    `resume: ${data.workflow} is defined otherwise than when the run began`,
    "Run it anew.",
  );
}

/** The finished steps of a report. */
export function earlierSteps({ store }: Engine, report: ReportHead): Run["earlier"] {
  return async (path) => {
    const step = await readStep(store, report, path);
    return step?.entry.status === "ok" || step?.entry.status === "cached" ? step : undefined;
  };
}
