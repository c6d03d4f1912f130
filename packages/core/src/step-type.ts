import { checkObjectSchema, type ObjectSchema, type SchemaOutput } from "./object-schema.ts";
import { inputSchema, type ToolSchema } from "./schema.ts";
import type { ToolContext } from "./tool.ts";

/** A type of step that a pack adds to workflows. It is not a tool: no tool list shows it, and only workflows run it. */
export interface StepType {
  /** The name in snake_case with a prefix, like a tool name: `note_digest`. */
  readonly name: string;
  readonly description: string;
  /** True if a step may change anything. Read-only mode rejects such a step, and a dry run skips it. */
  readonly mutates: boolean;
  readonly params: ToolSchema;
  /** Runs a step with validated params. Returns a JSON value. */
  run(params: unknown, context: ToolContext): unknown;
}

/** The argument of `defineStepType`: a step type as its author writes it. */
export interface StepTypeDefinition<Params extends ObjectSchema> {
  readonly name: string;
  readonly description: string;
  readonly mutates: boolean;
  readonly params: Params;
  /** Runs a step. A ToolError that it throws is shown to the caller. */
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
