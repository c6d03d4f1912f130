import type { Store, Tool } from "@toolpacks/core";
import type { Retention } from "@toolpacks/store";
import { ownTool } from "./definition/own-tool.ts";
import type { Operations, OperationsOptions } from "./operations.ts";
import { createReports } from "./report/reports.ts";
import { exposedWorkflow } from "./tools/exposed-workflow.ts";
import { workflowEval } from "./tools/workflow-eval.ts";
import { workflowList } from "./tools/workflow-list.ts";
import { workflowReport } from "./tools/workflow-report.ts";
import { workflowRun } from "./tools/workflow-run.ts";
import { workflowSteps } from "./tools/workflow-steps.ts";

export interface ToolsOptions extends Omit<OperationsOptions, "reports"> {
  readonly store: Store;
  /** Which reports are kept in each workspace. */
  readonly reports: Retention;
}

/** Creates the tools, including those of exposed workflows. */
export async function createTools({ store, reports: retention, ...given }: ToolsOptions): Promise<readonly Tool[]> {
  const reports = createReports(store, retention, (error) => given.onBug(error, "writing reports"));
  const options = { ...given, reports };
  let loading: Promise<Operations> | undefined;
  const load = () => (loading ??= import("./operations.ts").then(({ createOperations }) => createOperations(options)));
  const exposed = Object.entries(options.library.sources).flatMap(([name, source]) => {
    const tool = ownTool(name, source);
    return tool === undefined ? [] : [load().then((operations) => exposedWorkflow(operations, name, tool))];
  });
  return [
    workflowEval(load),
    workflowRun(load, options.library.sources),
    workflowList(load),
    workflowReport(reports),
    workflowSteps(load),
    ...(await Promise.all(exposed)),
  ];
}
