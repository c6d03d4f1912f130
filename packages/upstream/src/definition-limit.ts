/** Maximum size of a definition: characters of JSON, objects, levels of nesting. Real tools are far smaller. */
const maxCharacters = 256_000;
const maxObjects = 3_000;
const maxLevels = 64;

/** Why a definition of a tool, resource or prompt is too large. Undefined when it is not. Stops at the first exceeded limit. */
export function definitionLimit(definition: object): string | undefined {
  let characters = 0;
  let objects = 0;
  let level: readonly unknown[] = [definition];
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels > maxLevels) return `its definition is nested deeper than ${maxLevels} levels`;
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
      if (objects > maxObjects) return `its definition has more than ${maxObjects.toLocaleString("en")} objects`;
      if (characters > maxCharacters) {
        return `its definition is longer than ${maxCharacters.toLocaleString("en")} characters`;
      }
    }
    level = inner;
  }
  return undefined;
}
