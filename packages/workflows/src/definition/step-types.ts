import type { Catalog, StepType } from "@toolpacks/core";

/** The step types of every mounted pack that is not denied. */
export async function collectStepTypes({ packs }: Catalog): Promise<ReadonlyMap<string, StepType>> {
  const lists = await Promise.all(packs.map(async (pack) => (await pack.steps?.()) ?? []));
  const types = new Map<string, StepType>();
  for (const type of lists.flat()) {
    if (types.has(type.name)) throw new Error(`two packs add a step type named ${type.name}: rename one of them`);
    types.set(type.name, type);
  }
  return types;
}
