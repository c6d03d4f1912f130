import type { JsonSchema } from "./json-schema.ts";
import { checkObjectSchema, type ObjectSchema, type SchemaInput, type SchemaOutput } from "./object-schema.ts";
import { foreignSchema, inputSchema, outputSchema, type ToolSchema } from "./schema.ts";
import type { Reply } from "./reply.ts";

/** Why a model makes a call, in its own words. The two-tool surface requires it in every call. */
export interface Intent {
  /** The id of the store's workspace that the call works in. */
  readonly workspaceId: string;
  /** The id of the session. */
  readonly sessionId: string;
  /** A summary of what has happened so far. */
  readonly memory: string;
  /** The goal of the call. */
  readonly goal: string;
  readonly constraints?: string;
}

/** The caller of a tool, as far as the transport knows it. Empty for a call from inside the process. */
export interface CallContext {
  readonly intent?: Intent;
  /**
   * How the caller uses the result. `structured`: a model reads the JSON. `full`: code such as a workflow step gets the complete value. `both`: a
   * model reads the result, and code gets the complete value. Default: a model reads the text.
   */
  readonly resultMode?: "structured" | "full" | "both";
  readonly requestId?: string | number;
  /** Information about the validated access token, as the SDK provides it. */
  readonly auth?: unknown;
  /** Reads an HTTP request header by its name. */
  readonly header?: (name: string) => string | undefined;
}

/** The context of a call that a handler gets. It is the same on both SDKs and inside a workflow. */
export interface ToolContext extends CallContext {
  /** Aborts when the caller cancels or the connection closes. Pass it on, and stop soon after it aborts. */
  readonly signal: AbortSignal;
  /** Reports progress if the caller asked for it. With a slow client, a newer step replaces the waiting one. Never rejects. */
  readonly progress: (done: number, total?: number, message?: string) => Promise<void>;
  /** Asks the user a question. Absent if the client does not support it. */
  readonly elicit?: Elicit;
}

/**
 * Asks the user a question with the parameters of MCP's `elicitation/create`.
 *
 * @param signal withdraws the question: the client gets a cancellation, and the answer is `cancel`
 */
export type Elicit = (params: Readonly<Record<string, unknown>>, signal?: AbortSignal) => Promise<ElicitAnswer>;

export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}

/** An example call: what a user says, and the arguments of the call for it. Used only by search and describe. */
export interface Example {
  readonly say?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** MCP tool annotations in addition to `mutates`. Clients use them to decide what to show or ask before a call. */
export interface Effects {
  /** A change may lose data. Default: the value of `mutates`. */
  readonly destructive?: boolean;
  /** A second identical call has no further effect. Default: false. */
  readonly idempotent?: boolean;
  /** The tool accesses systems beyond this machine and the store. Default: false. */
  readonly openWorld?: boolean;
}

/** A tool, as dispatch and the surfaces use it. Created by `defineTool` or `defineForeignTool`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** True if a call may change anything: files, records or another system. Read-only mode rejects such a call. */
  readonly mutates: boolean;
  readonly effects: Effects;
  /** Words that people use for the tool and that its name and description lack. */
  readonly keywords: readonly string[];
  readonly examples: readonly Example[];
  /** Deprecated names. They can be called and are never listed. */
  readonly aliases: readonly string[];
  /** What to call in place of this deprecated tool. It can be called, is never listed or found, and each result includes this text. */
  readonly deprecated?: string;
  /** Input fields that the caller's intent fills, such as `{ goal: "goal" }`. A surface with intents leaves them out of the schema. */
  readonly fromIntent?: Readonly<Record<string, keyof Intent>>;
  /** True if a result may contain an image or another block that cannot be combined with structured content. */
  readonly media: boolean;
  /** Input fields whose handles are not resolved before the call. The tool resolves them itself or passes them on. */
  readonly takesHandles?: readonly string[];
  readonly input: ToolSchema;
  readonly output?: ToolSchema;
  /** Runs the tool with validated input. Returns a value that matches the output schema, or a `Reply`. */
  run(input: unknown, context: ToolContext): unknown;
  /** Renders a validated result as text for a model. */
  render(value: unknown): string;
}

interface Description {
  /** The name in snake_case with a prefix, such as `fs_read`. At most 64 characters of `[a-z0-9_]`. */
  readonly name: string;
  /** What the tool does, in the imperative. At most 2,048 characters; about 12 words are best, because every list contains it. */
  readonly description: string;
  readonly mutates: boolean;
  readonly effects?: Effects;
  readonly keywords?: readonly string[];
  readonly examples?: readonly Example[];
  readonly aliases?: readonly string[];
  readonly deprecated?: string;
  readonly media?: boolean;
  readonly takesHandles?: readonly string[];
  /** Input fields that mean the same as a part of the caller's intent. A surface with intents leaves them out of the schema. */
  readonly fromIntent?: Readonly<Record<string, keyof Intent>>;
}

/** The argument of `defineTool`: a tool as its author writes it. */
export interface ToolDefinition<Input extends ObjectSchema, Output extends ObjectSchema> extends Description {
  /** The input schema. Every field needs `.describe()`, every string and array `.max()`, and every nested object `z.strictObject`. */
  readonly input: Input;
  readonly output: Output;
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
  const { name, text } = definition;
  checkObjectSchema(definition.input, `tool ${name}: input`);
  checkObjectSchema(definition.output, `tool ${name}: output`);
  return {
    ...commonFields(definition),
    input: inputSchema(definition.input),
    output: outputSchema(definition.output),
    run: (input, context) => definition.handler(input as SchemaOutput<Input>, context),
    render: text === undefined ? renderJson : (value) => text(value as SchemaOutput<Output>),
  };
}

/** Defines a tool with JSON Schemas from another server or a file in place of zod schemas. */
export function defineForeignTool(definition: ForeignToolDefinition): Tool {
  return {
    ...commonFields(definition),
    input: foreignSchema(definition.inputSchema),
    ...(definition.outputSchema && { output: foreignSchema(definition.outputSchema) }),
    run: (input, context) => definition.handler(input as Readonly<Record<string, unknown>>, context),
    render: renderJson,
  };
}

function commonFields(definition: Description) {
  if (!namePattern.test(definition.name)) {
    throw new Error(`tool name "${definition.name}": expected snake_case, at most 64 characters of a-z, 0-9 and _`);
  }
  const {
    name,
    description,
    mutates,
    fromIntent,
    takesHandles,
    effects = {},
    keywords = [],
    examples = [],
    aliases = [],
    media = false,
    deprecated,
  } = definition;
  return {
    name,
    description,
    mutates,
    effects,
    keywords,
    examples,
    aliases,
    media,
    ...(deprecated !== undefined && { deprecated }),
    ...(fromIntent !== undefined && { fromIntent }),
    ...(takesHandles !== undefined && { takesHandles }),
  };
}

function renderJson(value: unknown): string {
  return JSON.stringify(value);
}
