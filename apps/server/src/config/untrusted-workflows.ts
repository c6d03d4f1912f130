import type { WorkflowSource } from "@toolpacks/workflows/definition";

type Workflows = Readonly<Record<string, WorkflowSource>>;
type StepSource = WorkflowSource["steps"][number];

/** Step types that only produce a value. Step types of other packs may do anything. */
const harmlessStepTypes = new Set(["value"]);

/**
 * Finds the refused workflows of an untrusted config file. A workflow is refused if it starts by itself, asks a model, runs a script or a step type of another pack, has the name
 * of a bundled workflow, or calls a bundled or refused workflow: bundled workflows ask a model.
 */
export async function refusedWorkflows(workflows: Workflows): Promise<ReadonlySet<string>> {
  const { exampleWorkflows } = await import("@toolpacks/workflows");
  // Bundled workflows may ask a model too.
  const sources = { ...workflows, ...exampleWorkflows };
  const starting = Object.entries(sources).flatMap(([name, { on }]) => (on === undefined ? [] : [name]));
  const steps = new Map(Object.entries(sources).map(([name, source]) => [name, everyStep(source.steps)]));
  const refused = new Set([...starting, ...[...steps].flatMap(([name, all]) => (all.every(isHarmless) ? [] : [name]))]);
  for (let count = -1; count !== refused.size;) {
    count = refused.size;
    for (const [name, all] of steps) {
      if (all.some(({ workflow }) => workflow !== undefined && refused.has(workflow))) refused.add(name);
    }
  }
  for (const name of Object.keys(exampleWorkflows)) refused.add(name);
  return refused;
}

function isHarmless({ model, task, step, code }: StepSource): boolean {
  return (model ?? task ?? code) === undefined && (step === undefined || harmlessStepTypes.has(step));
}

function everyStep(steps: readonly StepSource[]): readonly StepSource[] {
  return steps.flatMap((step) => [
    step,
    ...[step.fallback, step.parallel, step.steps].flatMap((inner) => everyStep(inner ?? [])),
  ]);
}
