import { ToolError, type ToolContext } from "@toolpacks/core";
import { createModels, type Models } from "@toolpacks/models";
import { startedBy } from "./clock/started-by.ts";
import { checkFields } from "./definition/check-fields.ts";
import { compileInline } from "./definition/compile-inline.ts";
import type { Library } from "./definition/library.ts";
import { everyStep, type Workflow } from "./definition/workflow.ts";
import { earlierSteps, resumedRequest, type Resumption } from "./engine/resume.ts";
import { accessOf, type Engine, type Run } from "./engine/run.ts";
import type { RunLimits } from "./engine/run-limits.ts";
import { runWorkflow, type RunRequest, type RunResult } from "./engine/run-workflow.ts";
import type { RunOptions } from "./engine/selection.ts";
import type { Reports } from "./report/reports.ts";
import { findReport } from "./report/read-report.ts";
import type { OneStep } from "./tools/run-options.ts";

/** The operations of the tools. Loaded at the first call. */
export interface Operations {
  readonly engine: Engine;
  /** Runs steps that come with a call. */
  readonly runInline: (steps: readonly object[], input: unknown, options: RunOptions) => Start;
  readonly runNamed: (name: string, input: unknown, options: RunOptions) => Start;
  readonly resume: (resumption: Resumption) => Start;
  readonly runOneStep: (one: OneStep) => Start;
}

type Start = (context: ToolContext) => Promise<RunResult>;

export interface OperationsOptions {
  readonly reports: Reports;
  readonly library: Library;
  readonly models?: Models | undefined;
  readonly inline: readonly string[];
  readonly limits: RunLimits;
  readonly onBug: Engine["onBug"];
}

export function createOperations({
  reports,
  inline,
  models = createModels({}),
  ...options
}: OperationsOptions): Operations {
  const { library } = options;
  const engine: Engine = { ...reports, ...options, models, inline: new Set(inline) };
  const start =
    (request: (context: ToolContext) => Promise<RunRequest>): Start =>
    async (context) =>
      runWorkflow(engine, await request(context), context);
  return {
    engine,
    runInline: (steps, input, options) =>
      start(async (context) => {
        const { signal } = context;
        const workflow = await compileInline({ steps }, { library, allowed: engine.inline, signal });
        await checkFields(workflow, accessOf(context));
        return { workflow, inline: true, input, options };
      }),
    runNamed: (name, input, options) =>
      start(async () => ({ workflow: await library.find(name), inline: false, input, options, starts: startedBy() })),
    resume: (resumption) => start((context) => resumedRequest(engine, resumption, context)),
    runOneStep: (one) => start(({ principal }) => oneStep(engine, one, principal)),
  };
}

async function oneStep(
  engine: Engine,
  { name, step, input, from, dryRun }: OneStep,
  principal: string,
): Promise<RunRequest> {
  const workflow: Workflow = await engine.library.find(name);
  const request = { workflow, inline: false, input, options: { only: [step], dryRun } };
  return from === undefined
    ? request
    : { ...request, earlier: await otherSteps(engine, { workflow, step, from, principal }) };
}

interface OtherSteps extends Required<Pick<OneStep, "step" | "from">> {
  readonly workflow: Workflow;
  readonly principal: string;
}

/** The results of a report, without those of the step and of the steps around it. */
async function otherSteps(engine: Engine, { workflow, step, from, principal }: OtherSteps): Promise<Run["earlier"]> {
  const report = await findReport(engine, { report: from, principal });
  const { data } = report;
  if (data.workflow !== workflow.name)
    throw new ToolError("invalid_input", `from: report ${from} is of ${data.workflow}, not of ${workflow.name}`);
  const earlier = earlierSteps(engine, report);
  const holders = everyStep(workflow.steps).filter((one) => everyStep([one]).some(({ id }) => id === step));
  const again = new Set(holders.map(({ id }) => id));
  return async (path) => {
    const ids = path.split("/");
    // The step may use results of its siblings.
    return ids.includes(step) || again.has(ids.at(-1) ?? "") ? undefined : earlier(path);
  };
}
