import type { JsonSchema } from "./json-schema.ts";
import { checkObjectSchema, type ObjectSchema, type SchemaInput, type SchemaOutput } from "./object-schema.ts";
import { foreignSchema, inputSchema, outputSchema, type ToolSchema } from "./schema.ts";
import type { Reply } from "./reply.ts";

/** Why a call is made, in the words of the model that makes it. The two-tool surface asks for it with every call. */
export interface Intent {
  /** The project: the id of the store's workspace that the call works in. */
  readonly workspaceId: string;
  /** The session, under the id that was given to its name. */
  readonly sessionId: string;
  /** What has happened so far, in short. */
  readonly memory: string;
  /** What the call is to achieve. */
  readonly goal: string;
  readonly constraints?: string;
}

/** Who calls, as far as the transport knows. Empty for a call from inside the process. */
export interface CallContext {
  readonly intent?: Intent;
  /**
   * What the caller makes of a result: `structured` shows its JSON to a model, `full` gives all of it to code (a workflow's step), and `both`
   * shows it and passes on what was left out of it. Default: its text is shown to a model.
   */
  readonly resultMode?: "structured" | "full" | "both";
  readonly requestId?: string | number;
  /** The validated access token's information, as the SDK gives it. */
  readonly auth?: unknown;
  /** A request header by its name, over HTTP. */
  readonly header?: (name: string) => string | undefined;
}

/** What a handler knows of the call besides its input. The same on both SDKs and inside a workflow. */
export interface ToolContext extends CallContext {
  /** Fires when the caller cancels or the connection closes. Pass it on; stop soon after it fires. */
  readonly signal: AbortSignal;
  /** Reports progress to a caller who asked for it; costs nothing otherwise. A step that waits for a slow client is replaced by the next. Never rejects. */
  readonly progress: (done: number, total?: number, message?: string) => Promise<void>;
  /** Asks the caller's user. Absent where the caller cannot be asked. */
  readonly elicit?: Elicit;
}

/**
 * Takes the parameters of MCP's `elicitation/create` as they are.
 *
 * @param signal withdraws the question: the client is told that it is cancelled, and the answer is `cancel`
 */
export type Elicit = (params: Readonly<Record<string, unknown>>, signal?: AbortSignal) => Promise<ElicitAnswer>;

export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}

/** An example call: what one would say, and the arguments that answer it. Serves search and describe only. */
export interface Example {
  readonly say?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a client may show or ask before a call (MCP tool annotations), beyond `mutates`. */
export interface Effects {
  /** Changes may lose something. Default: true where `mutates` is. */
  readonly destructive?: boolean;
  /** A second identical call changes nothing more. Default: false. */
  readonly idempotent?: boolean;
  /** Reaches beyond this machine and store. Default: false. */
  readonly openWorld?: boolean;
}

/** One operation, as dispatch and the surfaces see it. Made by `defineTool` or `defineForeignTool`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** True when a call may change anything: files, records, another system. What read-only mode refuses. */
  readonly mutates: boolean;
  readonly effects: Effects;
  /** Words people use for this that the name and description lack. */
  readonly keywords: readonly string[];
  readonly examples: readonly Example[];
  /** Deprecated names: callable, never listed. */
  readonly aliases: readonly string[];
  /** What to call instead. A deprecated tool is callable, never listed or found, and each answer says this. */
  readonly deprecated?: string;
  /** Input fields that a caller's intent fills where there is one: `{ goal: "goal" }`. They are then not asked for. */
  readonly fromIntent?: Readonly<Record<string, keyof Intent>>;
  /** True when a result may be an image or another block that must not stand beside structured content. */
  readonly media: boolean;
  /** Input fields whose handles reach the tool as they are: it opens them itself, or passes them on to other tools. */
  readonly takesHandles?: readonly string[];
  readonly input: ToolSchema;
  readonly output?: ToolSchema;
  /** Takes checked input. Returns what the output schema admits, or a `Reply`. */
  run(input: unknown, context: ToolContext): unknown;
  /** The text a model reads for a checked result. */
  render(value: unknown): string;
}

interface Description {
  /** snake_case, prefix first, at most 64 characters of `[a-z0-9_]`: `fs_read`. */
  readonly name: string;
  /** What it does, in the imperative. At most 2,048 characters; lists carry it, so a dozen words are better. */
  readonly description: string;
  readonly mutates: boolean;
  readonly effects?: Effects;
  readonly keywords?: readonly string[];
  readonly examples?: readonly Example[];
  readonly aliases?: readonly string[];
  readonly deprecated?: string;
  readonly media?: boolean;
  readonly takesHandles?: readonly string[];
  /** Input fields that mean the same as a part of the caller's intent. A surface that carries intents leaves them out of the schema. */
  readonly fromIntent?: Readonly<Record<string, keyof Intent>>;
}

/** A tool as its author writes it. */
export interface ToolDefinition<Input extends ObjectSchema, Output extends ObjectSchema> extends Description {
  /** Give every field `.describe()`, every string and array a `.max()`, every nested object `z.strictObject`. */
  readonly input: Input;
  readonly output: Output;
  /** The result as text. Default: lean JSON; lists of `{ items, total, … }` should render one line per record. */
  readonly text?: (result: SchemaOutput<Output>) => string;
  readonly handler: (input: SchemaOutput<Input>, context: ToolContext) => Awaitable<SchemaInput<Output> | Reply>;
}

/** A tool whose schemas come from elsewhere as JSON Schema. */
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
    ...described(definition),
    input: inputSchema(definition.input),
    output: outputSchema(definition.output),
    run: (input, context) => definition.handler(input as SchemaOutput<Input>, context),
    render: text === undefined ? renderJson : (value) => text(value as SchemaOutput<Output>),
  };
}

/** Defines a tool that brings JSON Schema in place of zod: another server's, or a file's. */
export function defineForeignTool(definition: ForeignToolDefinition): Tool {
  return {
    ...described(definition),
    input: foreignSchema(definition.inputSchema),
    ...(definition.outputSchema && { output: foreignSchema(definition.outputSchema) }),
    run: (input, context) => definition.handler(input as Readonly<Record<string, unknown>>, context),
    render: renderJson,
  };
}

function described(definition: Description) {
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
