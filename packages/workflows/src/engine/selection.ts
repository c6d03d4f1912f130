import { closest, ToolError } from "@toolpacks/core";
import type { OnError } from "../definition/step-kinds.ts";
import { childrenOf, everyStep, type Step } from "../definition/workflow.ts";

/** Options of a run. They are kept in the report, so that the run can be resumed. */
export interface RunOptions {
  /** Ids of the steps that run, with all steps inside them. The other steps are left out. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  readonly dryRun?: boolean | undefined;
  /** Whether tools that change anything are refused. */
  readonly readOnly?: boolean | undefined;
  readonly onError?: OnError | undefined;
}

/**
 * The reasons why steps are left out, by step.
 *
 * @throws ToolError `invalid_input` for an id that no step has
 */
export function selectSteps(steps: readonly Step[], { only, skip = [] }: RunOptions): ReadonlyMap<Step, string> {
  const all = everyStep(steps);
  checkIds(all, only ?? [], "only");
  checkIds(all, skip, "skip");
  const leftOut = new Map<Step, string>();
  const visit = (step: Step, isChosen: boolean) => {
    const within = isChosen || only === undefined || only.includes(step.id);
    const leads = within || everyStep([step]).some(({ id }) => only?.includes(id));
    if (skip.includes(step.id)) leftOut.set(step, "skip names it");
    else if (!leads) leftOut.set(step, "only does not name it");
    for (const child of childrenOf(step)) visit(child, within && only !== undefined);
  };
  for (const step of steps) visit(step, false);
  return leftOut;
}

function checkIds(steps: readonly Step[], ids: readonly string[], field: string): void {
  const known = steps.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return;
  const near = closest(unknown, known);
  throw new ToolError(
    "invalid_input",
    `${field}: there is no step ${JSON.stringify(unknown.slice(0, 64))}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Steps: ${known.join(", ").slice(0, 1_000)}.`,
  );
}
