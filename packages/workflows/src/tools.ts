import type { Tool } from "@toolpacks/core";
import type { Operations, OperationsOptions } from "./operations.ts";
import { createBacklog } from "./report/backlog.ts";
import { exposedWorkflow } from "./tools/exposed-workflow.ts";
import { workflowEval } from "./tools/workflow-eval.ts";
import { workflowList } from "./tools/workflow-list.ts";
import { workflowReport } from "./tools/workflow-report.ts";
import { workflowRun } from "./tools/workflow-run.ts";
import { workflowStep } from "./tools/workflow-step.ts";
import { workflowSteps } from "./tools/workflow-steps.ts";
import { isExposed } from "./is-exposed.ts";

/** Makes the tools, those of exposed workflows too. */
export async function createTools(given: Omit<OperationsOptions, "backlog">): Promise<readonly Tool[]> {
  const backlog = createBacklog(given.store, (error) => given.onBug(error, "writing reports"));
  const options = { ...given, backlog };
  let loading: Promise<Operations> | undefined;
  const load = () => (loading ??= import("./operations.ts").then(({ createOperations }) => createOperations(options)));
  const exposed = Object.entries(options.definitions).filter(([, definition]) => isExposed(definition));
  return [
    workflowEval(load),
    workflowRun(load),
    workflowList(load),
    workflowStep(load),
    workflowReport(options),
    workflowSteps(load),
    ...(await Promise.all(exposed.map(async ([name]) => exposedWorkflow(await load(), name)))),
  ];
}
