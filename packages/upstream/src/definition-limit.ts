/** Maximum size of a definition: characters of JSON, objects, levels of nesting. Real tools are far smaller. */
const maxCharacters = 256_000;
const maxObjects = 3_000;
const maxLevels = 64;

export interface DefinitionSize {
  readonly characters: number;
  readonly objects: number;
  /** Why the definition is too large to use. */
  readonly problem?: string;
}

/** The size of a tool, resource or prompt as a server lists it. Counts up to the first limit. */
export function definitionSize(definition: object): DefinitionSize {
  let characters = 0;
  let objects = 0;
  let level: readonly unknown[] = [definition];
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels > maxLevels) {
      return { characters, objects, problem: `its definition is nested deeper than ${maxLevels} levels` };
    }
    const inner: unknown[] = [];
    for (const value of level) {
      characters += typeof value === "string" ? value.length + 2 : 4;
      if (value !== null && typeof value === "object") {
        objects += 1;
        for (const [name, child] of Object.entries(value)) {
          characters += name.length + 4;
          inner.push(child);
        }
      }
      if (objects > maxObjects) {
        const problem = `its definition has more than ${maxObjects.toLocaleString("en")} objects`;
        return { characters, objects, problem };
      }
      if (characters > maxCharacters) {
        const problem = `its definition is longer than ${maxCharacters.toLocaleString("en")} characters`;
        return { characters, objects, problem };
      }
    }
    level = inner;
  }
  return { characters, objects };
}
