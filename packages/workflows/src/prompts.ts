import { isExposed } from "./is-exposed.ts";
import type { Prompt, PromptArgument } from "@toolpacks/core";

type Source = Readonly<Record<string, unknown>>;

/** A prompt for each exposed workflow, of its tool's name. */
export function workflowPrompts(definitions: Source): readonly Prompt[] {
  return Object.entries(definitions).flatMap(([name, definition]) => {
    if (!isObject(definition) || !isExposed(definition)) return [];
    const { description = name, input } = definition;
    const tool = `workflow_${name}`;
    const fields = promptArguments(isObject(input) ? input : {});
    return [{ name: tool, tool, description: String(description), arguments: fields, text: (args) => say(name, args) }];
  });
}

function say(name: string, args: Readonly<Record<string, string>>): string {
  const given = Object.keys(args).length === 0 ? "" : ` with input ${JSON.stringify(args)}`;
  return `Run the workflow ${name}${given} with workflow_eval (name: ${JSON.stringify(name)}) and tell me what its report says.`;
}

/** From JSON Schema or shorthand, whose mistakes the definition's own check finds. */
function promptArguments(input: Source): readonly PromptArgument[] {
  const { properties, required } = input;
  if (isObject(properties)) {
    const names = Array.isArray(required) ? required : [];
    return Object.entries(properties).map(([name, field]) => argument(name, field, names.includes(name)));
  }
  return Object.entries(input).map(([name, field]) =>
    argument(name, field, isObject(field) ? !("default" in field) : !String(field).endsWith("?")),
  );
}

function argument(name: string, field: unknown, required: boolean): PromptArgument {
  const description = isObject(field) ? field["description"] : undefined;
  return { name, required, ...(typeof description === "string" && { description }) };
}

function isObject(value: unknown): value is Source {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
