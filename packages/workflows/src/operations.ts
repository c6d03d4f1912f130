import type { ToolContext } from "@toolpacks/core";
import { createModels, type Models } from "@toolpacks/models";
import { startedBy } from "./clock/started-by.ts";
import { checkFields } from "./definition/check-fields.ts";
import { compileInline } from "./definition/compile-inline.ts";
import type { Library } from "./definition/library.ts";
import { resumedRequest, type Resumption } from "./engine/resume.ts";
import { accessOf, type Engine } from "./engine/run.ts";
import type { RunLimits } from "./engine/run-limits.ts";
import { runWorkflow, type RunRequest, type RunResult } from "./engine/run-workflow.ts";
import type { RunOptions } from "./report/plan.ts";
import type { Reports } from "./report/reports.ts";

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
    /** Runs steps or a script that come with a call. */
    runInline: (source: object, input: unknown, options: RunOptions) =>
      start(async (context) => {
        const { signal } = context;
        const workflow = await compileInline(source, { library, allowed: engine.inline, signal });
        await checkFields(workflow, accessOf(context));
        return { workflow, inline: true, input, options };
      }),
    runNamed: (name: string, input: unknown, options: RunOptions) =>
      start(async () => ({ workflow: await library.find(name), inline: false, input, options, starts: startedBy() })),
    resume: (resumption: Resumption) => start((context) => resumedRequest(engine, resumption, context)),
  };
}
