import { isObject, nearest, ToolError, type JsonSchema, type ToolAccess } from "@toolpacks/core";
import { expressionsIn, withBrackets } from "@toolpacks/expressions";
import { everyStep, type Step, type Workflow } from "./workflow.ts";

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

/**
 * Checks the fields that the params of tool steps read of results whose output schema is known.
 *
 * @throws ToolError `invalid_input` naming the step, the field and the nearest fields
 */
export async function checkFields({ steps }: Workflow, access: ToolAccess): Promise<void> {
  const all = everyStep(steps);
  const tools = new Map(all.flatMap((step) => (step.kind === "tool" ? [[step.id, step] as const] : [])));
  const schemas = new Map<string, JsonSchema>();
  for (const id of new Set(all.flatMap(({ references }) => references))) {
    const step = tools.get(id);
    const schema = step && (await outputOf(step, access));
    if (schema !== undefined) schemas.set(id, schema);
  }
  for (const { id, params } of tools.values()) {
    for (const { at, source } of expressionsIn(params.source)) {
      const problem = unknownFieldProblem(source, (one) => schemas.get(one));
      if (problem !== undefined) throw new ToolError("invalid_input", `step ${id}: params.${at.join(".")}: ${problem}`);
    }
  }
}

/** The schema of a step's result. A fallback may have any other result. */
async function outputOf(step: Step & { readonly kind: "tool" }, access: ToolAccess): Promise<JsonSchema | undefined> {
  if (step.fallback.length > 0) return undefined;
  const found = await access.resolve(step.tool);
  return "failure" in found ? undefined : found.tool.output?.json();
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
