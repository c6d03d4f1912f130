import { checkObjectSchema, inputSchema, type ObjectSchema, type SchemaOutput } from "@toolpacks/schema";
import type { StepType, ToolContext } from "./tool.ts";

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
