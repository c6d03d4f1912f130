import { isObject, ToolError, type JsonSchema, type Tool, type ToolUse } from "@toolpacks/core";
import type { Library } from "../definition/library.ts";
import { ownTool } from "../definition/own-tool.ts";
import { objectSchema } from "../definition/shorthand.ts";
import type { WorkflowSource } from "../definition/workflow-source.ts";
import { runFields } from "./run-options.ts";

/** The uses of `workflow_run`: one for each configured workflow, except those that are tools of their own. */
export function workflowUses(tool: Tool, sources: Library["sources"]): readonly ToolUse[] {
  return Object.entries(sources)
    .filter(([name, source]) => ownTool(name, source) === undefined)
    .map(([name, source]) => ({
      name,
      description: source.description ?? `Run the workflow ${name}.`,
      keywords: ["workflow", "run"],
      input: () => callSchema(tool, name, source),
    }));
}

/** The arguments of a call that runs the workflow, without those that resume a run. */
function callSchema(tool: Tool, name: string, { input }: WorkflowSource): JsonSchema {
  const schema = tool.input.full();
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const options = Object.entries(properties).filter(([field]) => field !== "input" && Object.hasOwn(runFields, field));
  const given = input === undefined ? {} : { input: inputSchema(input, name) ?? properties["input"] };
  return {
    ...schema,
    properties: { name: { const: name }, ...given, ...Object.fromEntries(options) },
    required: ["name", ...(hasRequired(given.input) ? ["input"] : [])],
  };
}

/** Undefined for an invalid schema. A run of the workflow reports it. */
function inputSchema(input: NonNullable<WorkflowSource["input"]>, name: string): JsonSchema | undefined {
  try {
    return objectSchema(input, `workflows.${name}.input`);
  } catch (error) {
    if (ToolError.is(error)) return undefined;
    throw error;
  }
}

function hasRequired(schema: unknown): boolean {
  return isObject(schema) && Array.isArray(schema["required"]) && schema["required"].length > 0;
}
