import { isObject, nearest, type JsonSchema } from "@toolpacks/core";
import { withBrackets } from "./path.ts";

/** A path into a step's result. A name before `(` is a function. */
const resultPath = /\bsteps\.([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*(?![\w]|\s*\()|\[\d{1,9}\])*)/g;
/** A literal text, in which nothing is a path. */
const literalText = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g;

/**
 * Finds a field that an expression reads and that the output schema of the step's tool does not have.
 *
 * @param schemaOf the JSON Schema of the result of a step; undefined if it is not known
 */
export function unknownFieldProblem(
  source: string,
  schemaOf: (step: string) => JsonSchema | undefined,
): string | undefined {
  // `has` asks whether there is a field.
  if (/\bhas\s*\(/.test(source)) return undefined;
  for (const [, step = "", path = ""] of withBrackets(source).replaceAll(literalText, '""').matchAll(resultPath)) {
    const schema = schemaOf(step);
    const problem = schema && missingField(schema, path.match(/[A-Za-z_]\w*|\[\d+\]/g) ?? [], `steps.${step}`);
    if (problem !== undefined) return `\${${source.slice(0, 200)}}: ${problem}`;
  }
  return undefined;
}

const combinations = ["anyOf", "oneOf", "allOf", "$ref", "if", "patternProperties"];

function missingField(root: JsonSchema, path: readonly string[], start: string): string | undefined {
  let schema = root;
  let where = start;
  for (const part of path) {
    if (combinations.some((keyword) => keyword in schema)) return undefined;
    const next = part.startsWith("[") ? schema["items"] : fieldOf(schema, part);
    if (next === undefined) {
      const known = Object.keys(isObject(schema["properties"]) ? schema["properties"] : {});
      if (part.startsWith("[") || known.length === 0 || isOpen(schema)) return undefined;
      const near = nearest(part, known);
      return `${where} has no field ${part}; ${near.length > 0 ? `nearest: ${near.join(", ")}` : `it has ${known.slice(0, 20).join(", ")}`}`;
    }
    if (!isObject(next)) return undefined;
    schema = next;
    where += part.startsWith("[") ? part : `.${part}`;
  }
  return undefined;
}

function fieldOf({ properties }: JsonSchema, name: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Whether a schema says that a value may have other fields. */
function isOpen({ additionalProperties }: JsonSchema): boolean {
  return additionalProperties === true || isObject(additionalProperties);
}
