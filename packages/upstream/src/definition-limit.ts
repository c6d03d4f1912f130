import { exceededMessage, measure, type ValueBounds, type ValueSize } from "@toolpacks/core";

/** Maximum size of a definition. Real tools are far smaller. */
const bounds = { maxCharacters: 256_000, maxValues: 10_000, maxDepth: 64 } as const satisfies ValueBounds;

export interface DefinitionSize extends ValueSize {
  /** Why the definition is too large to use. */
  readonly problem?: string;
}

/** The size of a tool, resource or prompt as a server lists it. Counts up to the first limit. */
export function definitionSize(definition: object): DefinitionSize {
  const size = measure(definition, bounds);
  if (size.exceeded === undefined) return size;
  return { ...size, problem: `its definition is ${exceededMessage(size.exceeded, bounds)}` };
}
