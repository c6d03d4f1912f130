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
import type { ReportHead } from "./report/owner.ts";
import type { Reports } from "./report/reports.ts";
import { findReport } from "./report/read-report.ts";
import type { OneStep } from "./tools/run-options.ts";

/** The operations of the tools. Loaded at the first call. */
export type Operations = ReturnType<typeof createOperations>;

type Start = (context: ToolContext) => Promise<RunResult>;

export interface OperationsOptions {
  readonly reports: Reports;
  readonly library: Library;
  readonly models?: Models | undefined;
  readonly inline: readonly string[];
  readonly limits: RunLimits;
  readonly onBug: Engine["onBug"];
}

export function createOperations({ reports, inline, models = createModels({}), ...options }: OperationsOptions) {
  const { library } = options;
  const engine: Engine = { ...reports, ...options, models, inline: new Set(inline) };
  const start =
    (request: (context: ToolContext) => Promise<RunRequest>): Start =>
    async (context) =>
      runWorkflow(engine, await request(context), context);
  return {
    engine,
    /** Runs steps that come with a call. */
    runInline: (steps: readonly object[], input: unknown, options: RunOptions) =>
      start(async (context) => {
        const { signal } = context;
        const workflow = await compileInline({ steps }, { library, allowed: engine.inline, signal });
        await checkFields(workflow, accessOf(context));
        return { workflow, inline: true, input, options };
      }),
    runNamed: (name: string, input: unknown, options: RunOptions) =>
      start(async () => ({ workflow: await library.find(name), inline: false, input, options, starts: startedBy() })),
    resume: (resumption: Resumption) => start((context) => resumedRequest(engine, resumption, context)),
    runOneStep: (one: OneStep) => start(({ principal }) => oneStep(engine, one, principal)),
  };
}

async function oneStep(
  engine: Engine,
  { name, step, input, from, dryRun }: OneStep,
  principal: string,
): Promise<RunRequest> {
  const workflow = await engine.library.find(name);
  const report = from === undefined ? undefined : await findReport(engine, { report: from, principal });
  const earlier = report && otherSteps(engine, report, { workflow, step });
  const prior = earlier && { earlier, earlierCalls: async () => new Map() };
  return { workflow, inline: false, input, options: { only: [step], dryRun }, prior };
}

/** The results of a report, without those of the step and of the steps around it. */
function otherSteps(
  engine: Engine,
  report: ReportHead,
  { workflow, step }: { readonly workflow: Workflow; readonly step: string },
): Run["earlier"] {
  if (report.data.workflow !== workflow.name) {
    const problem = `report ${report.id} is of ${report.data.workflow}, not of ${workflow.name}`;
    throw new ToolError("invalid_input", `from: ${problem}`);
  }
  const earlier = earlierSteps(engine, [report]);
  const holders = everyStep(workflow.steps).filter((one) => everyStep([one]).some(({ id }) => id === step));
  const again = new Set(holders.map(({ id }) => id));
  return async (path) => {
    const ids = path.split("/");
    // The step may use results of its siblings.
    return ids.includes(step) || again.has(ids.at(-1) ?? "") ? undefined : earlier(path);
  };
}
