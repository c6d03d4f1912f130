import {
  checkObjectSchema,
  foreignSchema,
  inputSchema,
  type JsonSchema,
  type ObjectSchema,
  outputSchema,
  type SchemaInput,
  type SchemaOutput,
} from "@toolpacks/schema";
import type { Reply } from "./outcome.ts";
import type { Effects, Tool, ToolContext } from "./tool.ts";

interface Description extends Partial<
  Pick<Tool, "effects" | "keywords" | "examples" | "aliases" | "deprecated" | "media" | "takesHandles" | "fromIntent">
> {
  /** The name in snake_case with a prefix, such as `fs_read`. At most 64 characters of `[a-z0-9_]`. */
  readonly name: string;
  /** What the tool does, in the imperative. At most 2,048 characters; about 12 words are best, because every list contains it. */
  readonly description: string;
  readonly mutates: boolean;
}

/** The argument of `defineTool`: a tool as its author writes it. */
export interface ToolDefinition<Input extends ObjectSchema, Output extends ObjectSchema> extends Omit<
  Description,
  "effects"
> {
  /** The input schema. Every field needs `.describe()`, every string and array `.max()`, and every nested object `z.strictObject`. */
  readonly input: Input;
  readonly output: Output;
  /** What a call changes, beside `mutates`. Default: nothing is declared, and its calls cannot be taken back. */
  readonly effects?: Effects<SchemaOutput<Input>>;
  /** Renders the result as text. Default: compact JSON. A list of `{ items, total, … }` should have one line per record. */
  readonly text?: (result: SchemaOutput<Output>) => string;
  readonly handler: (input: SchemaOutput<Input>, context: ToolContext) => Awaitable<SchemaInput<Output> | Reply>;
}

/** A tool whose schemas are JSON Schemas from another server or a file. */
export interface ForeignToolDefinition extends Description {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly handler: (
    input: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ) => Awaitable<Readonly<Record<string, unknown>> | Reply>;
}

type Awaitable<T> = T | Promise<T>;

const namePattern = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Defines a tool.
 *
 * @throws Error when the name is not snake_case of at most 64 characters, or a schema is not an object of zod 4.
 */
export function defineTool<Input extends ObjectSchema, Output extends ObjectSchema>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { input, output, text, handler, ...description } = definition;
  checkObjectSchema(input, `tool ${definition.name}: input`);
  checkObjectSchema(output, `tool ${definition.name}: output`);
  return {
    ...withDefaults(description),
    input: inputSchema(input),
    output: outputSchema(output),
    // Dispatch calls both with values that the schemas have checked.
    run: handler,
    render: text ?? renderJson,
  };
}

/** Defines a tool with JSON Schemas from another server or a file in place of zod schemas. */
export function defineForeignTool(definition: ForeignToolDefinition): Tool {
  const { inputSchema: input, outputSchema: output, handler, ...description } = definition;
  return {
    ...withDefaults(description),
    input: foreignSchema(input),
    output: output && foreignSchema(output),
    run: handler,
    render: renderJson,
  };
}

function withDefaults(description: Description) {
  const { effects = {}, keywords = [], examples = [], aliases = [], media = false, ...rest } = description;
  if (!namePattern.test(rest.name)) {
    throw new Error(`tool name "${rest.name}": expected snake_case, at most 64 characters of a-z, 0-9 and _`);
  }
  return { ...rest, effects, keywords, examples, aliases, media };
}

function renderJson(value: unknown): string {
  return JSON.stringify(value);
}
