import type { WorkflowSource } from "@toolpacks/workflows/definition";

type Workflows = Readonly<Record<string, WorkflowSource>>;
type StepSource = WorkflowSource["steps"][number];

/** Step types that only make a value. Another pack's may do anything. */
const harmlessStepTypes = new Set(["value"]);

/**
 * The workflows of an untrusted config file that are refused: those that ask a model, run a step type of another pack, take the name of a workflow
 * that comes with the server, or call such a workflow.
 */
export async function refusedWorkflows(workflows: Workflows): Promise<ReadonlySet<string>> {
  const { exampleWorkflows } = await import("@toolpacks/workflows");
  const steps = new Map(Object.entries(workflows).map(([name, source]) => [name, everyStep(source.steps)]));
  const refused = new Set(
    [...steps].flatMap(([name, all]) =>
      Object.hasOwn(exampleWorkflows, name) || all.some((step) => !isHarmless(step)) ? [name] : [],
    ),
  );
  for (let count = -1; count !== refused.size;) {
    count = refused.size;
    for (const [name, all] of steps) {
      if (all.some(({ workflow }) => workflow !== undefined && refused.has(workflow))) refused.add(name);
    }
  }
  return refused;
}

function isHarmless({ model, step }: StepSource): boolean {
  return model === undefined && (step === undefined || harmlessStepTypes.has(step));
}

function everyStep(steps: readonly StepSource[]): readonly StepSource[] {
  return steps.flatMap((step) => [
    step,
    ...[step.fallback, step.parallel, step.steps].flatMap((inner) => everyStep(inner ?? [])),
  ]);
}
