import { describeIssues, type StepType, type Store, type Tool } from "@toolpacks/core";
import { createLibrary } from "./definition/library.ts";
import { workflowSources } from "./definition/workflow-source.ts";
import type { Desk, Engine } from "./engine/run.ts";
import { createModels, type ModelEndpoint } from "./models/models.ts";
import { exposedWorkflow } from "./tools/exposed-workflow.ts";
import { workflowEval } from "./tools/workflow-eval.ts";
import { workflowList } from "./tools/workflow-list.ts";
import { workflowReport } from "./tools/workflow-report.ts";
import { workflowRun } from "./tools/workflow-run.ts";
import { workflowStep } from "./tools/workflow-step.ts";
import { workflowSteps } from "./tools/workflow-steps.ts";

export interface ToolsOptions {
  readonly store: Store;
  readonly definitions: Readonly<Record<string, unknown>>;
  readonly through: () => Desk;
  readonly models: Readonly<Record<string, ModelEndpoint>>;
  readonly inline: readonly string[];
  readonly onBug: Engine["onBug"];
}

/** Makes the tools, those of exposed workflows too. */
export async function createTools(options: ToolsOptions): Promise<readonly Tool[]> {
  const engine = createEngine(options);
  const { library } = engine;
  const exposed = Object.entries(library.sources).filter(([, { expose }]) => expose === "tool");
  return [
    workflowEval(engine),
    workflowRun(engine),
    workflowList(engine),
    workflowStep(engine),
    workflowReport(engine),
    workflowSteps(engine),
    ...(await Promise.all(exposed.map(async ([name]) => exposedWorkflow(engine, await library.find(name))))),
  ];
}

function createEngine({ store, definitions, through, models, inline, onBug }: ToolsOptions): Engine {
  const parsed = workflowSources.safeParse(definitions);
  if (!parsed.success) throw new Error(`workflows: ${describeIssues(parsed.error.issues, [])}`);
  let types: Promise<ReadonlyMap<string, StepType>> | undefined;
  return {
    store,
    library: createLibrary(parsed.data),
    models: createModels(models, process.env),
    inline: new Set(inline),
    onBug,
    desk: through,
    stepTypes: () => (types ??= collectTypes(through())),
  };
}

/** Of every pack that is mounted and not denied. */
async function collectTypes({ catalog }: Desk): Promise<ReadonlyMap<string, StepType>> {
  const lists = await Promise.all(catalog.packs.map(async (pack) => (await pack.steps?.()) ?? []));
  const types = new Map<string, StepType>();
  for (const type of lists.flat()) {
    if (types.has(type.name)) throw new Error(`two packs add a step type named ${type.name}: rename one of them`);
    types.set(type.name, type);
  }
  return types;
}
