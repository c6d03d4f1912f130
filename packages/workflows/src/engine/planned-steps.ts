import type { Library } from "../definition/library.ts";
import type { Step } from "../definition/workflow.ts";

export interface PlannedStepsOptions {
  readonly library: Library;
  /** Whether a step and the steps inside it are left out of the run. */
  readonly isLeftOut?: (step: Step) => boolean;
}

/**
 * The minimum number of steps. Rounds of loops over literal lists are multiplied. Loops over computed lists are counted when
 * they start, and fallbacks when they run.
 */
export async function plannedSteps(steps: readonly Step[], options: PlannedStepsOptions): Promise<number> {
  const known = new Map<string, number>();
  const { library, isLeftOut = () => false } = options;
  const countAll = async (list: readonly Step[]): Promise<number> => {
    let sum = 0;
    for (const step of list) sum += 1 + (isLeftOut(step) ? 0 : await inside(step));
    return sum;
  };
  const inside = async (step: Step): Promise<number> => {
    switch (step.kind) {
      case "parallel":
        return countAll(step.steps);
      case "forEach":
        return Array.isArray(step.items.source) ? step.items.source.length * (await countAll(step.steps)) : 0;
      case "workflow": {
        const count = known.get(step.workflow) ?? (await countAll((await library.find(step.workflow)).steps));
        known.set(step.workflow, count);
        return count;
      }
      default:
        return 0;
    }
  };
  return countAll(steps);
}
