import { isObject, ToolError, type JsonSchema, type Prompt } from "@toolpacks/core";
import type { Library } from "./definition/library.ts";
import { ownTool } from "./definition/own-tool.ts";
import { fieldsOf, objectSchema, type Field } from "./definition/shorthand.ts";

/** Creates a prompt for each exposed workflow, named as its tool. */
export function workflowPrompts({ sources }: Library): readonly Prompt[] {
  return Object.entries(sources).flatMap(([name, source]) => {
    const tool = ownTool(name, source);
    if (tool === undefined) return [];
    const { description = name, input = {} } = source;
    const fields = fieldsOf(objectSchema(input, `workflows.${name}.input`));
    const asked = fields.map(({ name, required, schema: { description } }) => {
      return { name, required, description: typeof description === "string" ? description : undefined };
    });
    return [
      {
        name: tool,
        tool,
        description,
        arguments: asked,
        text: (args, { callOf }) => say(name, readInput(args, fields), callOf("workflow_eval")),
      },
    ];
  });
}

function say(name: string, input: Readonly<Record<string, unknown>>, call: string): string {
  const given = Object.keys(input).length === 0 ? "" : ` with input ${JSON.stringify(input)}`;
  return `Run the workflow ${name}${given} with ${call} (name: ${JSON.stringify(name)}) and tell me what its report says.`;
}

/** Parses the arguments to the types of the workflow's input: a client sends each as text. */
function readInput(
  args: Readonly<Record<string, string>>,
  fields: readonly Field[],
): Readonly<Record<string, unknown>> {
  const schemas = new Map(fields.map(({ name, schema }) => [name, schema]));
  return Object.fromEntries(
    Object.entries(args).map(([name, text]) => [name, valueOf(text, schemas.get(name) ?? {}, name)]),
  );
}

function valueOf(text: string, schema: JsonSchema, name: string): unknown {
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  const values: readonly unknown[] | undefined = Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
  const read = values === undefined ? parse(text) : values.find((value) => String(value) === text);
  if (values !== undefined && read !== undefined) return read;
  if (types.length === 0 || types.includes("string")) return text;
  if (types.some((type) => isOfType(read, type))) return read;
  const example = types.includes("array") ? ' as JSON, such as ["a", "b"]' : types.includes("object") ? " as JSON" : "";
  throw new ToolError(
    "invalid_input",
    `argument ${JSON.stringify(name)}: expected ${types.join(" or ")}${example}, received ${JSON.stringify(text.slice(0, 100))}`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (value === undefined) return false;
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  return type === "object" ? isObject(value) : typeof value === type;
}
