import { checkObjectSchema, type ObjectSchema, type SchemaOutput } from "./object-schema.ts";
import { inputSchema, type ToolSchema } from "./schema.ts";
import type { ToolContext } from "./tool.ts";

/** A sort of step that a pack adds to workflows. It is no tool: no list shows it, and only a workflow runs it. */
export interface StepType {
  /** snake_case, prefix first, as a tool's: `note_digest`. */
  readonly name: string;
  readonly description: string;
  /** True when a step may change anything. What read-only mode refuses, and a dry run does not run. */
  readonly mutates: boolean;
  readonly params: ToolSchema;
  /** Takes checked params. What it returns is JSON. */
  run(params: unknown, context: ToolContext): unknown;
}

/** A step type as its author writes it. */
export interface StepTypeDefinition<Params extends ObjectSchema> {
  readonly name: string;
  readonly description: string;
  readonly mutates: boolean;
  readonly params: Params;
  /** Throws a ToolError for what the caller should read. */
  readonly run: (params: SchemaOutput<Params>, context: ToolContext) => unknown;
}

const namePattern = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Defines a step type.
 *
 * @throws Error when the name is not snake_case of at most 64 characters, or `params` is not an object of zod 4.
 */
export function defineStepType<Params extends ObjectSchema>(definition: StepTypeDefinition<Params>): StepType {
  const { name, description, mutates, params, run } = definition;
  if (!namePattern.test(name)) {
    throw new Error(`step type name "${name}": expected snake_case, at most 64 characters of a-z, 0-9 and _`);
  }
  checkObjectSchema(params, `step type ${name}: params`);
  return {
    name,
    description,
    mutates,
    params: inputSchema(params),
    run: (checked, context) => run(checked as SchemaOutput<Params>, context),
  };
}
