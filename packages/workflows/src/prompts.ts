import type { Prompt } from "@toolpacks/core";
import type { Library } from "./definition/library.ts";
import { ownTool } from "./definition/own-tool.ts";
import { fieldsOf, objectSchema } from "./definition/shorthand.ts";

/** A prompt for each exposed workflow, of its tool's name. */
export function workflowPrompts({ sources }: Library): readonly Prompt[] {
  return Object.entries(sources).flatMap(([name, source]) => {
    const tool = ownTool(name, source);
    if (tool === undefined) return [];
    const { description = name, input = {} } = source;
    const fields = fieldsOf(objectSchema(input, `workflows.${name}.input`)).map((field) => {
      const { description: said } = field.schema;
      return { name: field.name, required: field.required, ...(typeof said === "string" && { description: said }) };
    });
    return [{ name: tool, tool, description, arguments: fields, text: (args) => say(name, args) }];
  });
}

function say(name: string, args: Readonly<Record<string, string>>): string {
  const given = Object.keys(args).length === 0 ? "" : ` with input ${JSON.stringify(args)}`;
  return `Run the workflow ${name}${given} with workflow_eval (name: ${JSON.stringify(name)}) and tell me what its report says.`;
}
