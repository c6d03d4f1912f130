import type { Outcome } from "./outcome.ts";
import type { JsonSchema, ToolSchema } from "@toolpacks/schema";
import type { Kind } from "./store.ts";
import type { Failure } from "./tool-error.ts";
import type { SpanRunner, TraceContext } from "./trace-context.ts";

/** Why a model makes a call, in its own words. The two-tool surface requires it in each call of `useTools`. */
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

/** The context of a call: its caller, as far as the transport knows it, and the way back to it. Handlers, interceptors and dispatch share it. */
export interface ToolContext {
  /** Aborts when the caller cancels or the connection closes. Pass it on, and stop soon after it aborts. */
  readonly signal: AbortSignal;
  /** Reports progress if the caller asked for it. With a slow client, a newer step replaces the waiting one. Never rejects. */
  readonly progress: (done: number, total?: number, message?: string) => Promise<void>;
  /**
   * Sends a log message to the client, if the client wants messages of this level. Never rejects. Absent with the 1.x SDK. Messages for the operator
   * of the server belong in the service `log`.
   */
  readonly log?: (level: LogLevel, message: string) => Promise<void>;
  /** Asks the user a question. Absent if the client does not support it. */
  readonly elicit?: Elicit;
  /** Asks the client's own model. Absent if the client has none, or cannot be asked. */
  readonly sample?: Sample;
  /** The client, for requests that `elicit` cannot make: several inputs at once, and inputs other than answers of the user. Protocol 2026-07-28 only. */
  readonly client?: ClientAccess;
  /** The tools that the caller may call, for tools that call tools. Dispatch sets it. */
  readonly access?: ToolAccess;
  readonly intent?: Intent;
  /** The id of the client's session. Absent if the transport has no sessions, such as stateless HTTP. */
  readonly session?: string;
  /** The names of tools on the caller's surface. Absent: their own names. */
  readonly toolNames?: ToolNames;
  /**
   * How the caller uses the result. `structured`: a model reads the JSON. `full`: code such as a workflow step gets the complete value. `both`: a
   * model reads the result, and code gets the complete value. Default: a model reads the text.
   */
  readonly resultMode?: "structured" | "full" | "both";
  /** The fields of each row in the result that a model wants to see. The relay leaves out the others. Default: all. */
  readonly fields?: readonly string[];
  readonly requestId?: string | number;
  /** The id of the caller's principal, made by `principalOf`. Empty: the local user, or any caller of a server without authorization. */
  readonly principal: string;
  /** Information about the validated access token, as the SDK provides it. */
  readonly auth?: unknown;
  /** Reads an HTTP request header by its name. */
  readonly header?: (name: string) => string | undefined;
  /** The version of the protocol, if the request names it. */
  readonly protocolVersion?: string;
  /** The trace that the call belongs to. Requests to other servers continue it. */
  readonly trace?: TraceContext;
  /** Runs a part of the call in a span of its own. Absent if no spans are recorded. Used through `inSpan`. */
  readonly span?: SpanRunner;
  /**
   * An id of what a workflow's step does, which is the same when a later run repeats the step after its process was killed. A tool that remembers it, as
   * the `operationId` of its writes, changes nothing twice.
   */
  readonly operation?: string;
  /** The id of the call. Dispatch sets it. Calls that the tool makes have it as the id of their parent. */
  readonly callId?: string;
}

/** The names of tools on a surface, such as `filesystem: edit` for `fs_edit`. */
export interface ToolNames {
  /** The name that a caller reads for a tool's own name. */
  shown(name: string): string;
  /** The own names of the tools that a name of the surface means. Undefined: it is no name of the surface. */
  find(shown: string): readonly string[] | undefined;
}

/** The severity of a log message, from the lowest to the highest. */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** The tools and step types that a caller may use. A workflow calls tools through it, with the rights of its caller. */
export interface ToolAccess {
  /** Finds a tool by its name or an alias. */
  readonly resolve: (name: string) => Promise<Resolution>;
  /** Every tool that can be called and is not deprecated. */
  readonly entries: () => Promise<readonly CatalogEntry[]>;
  /** The step types that a workflow may use, by name. */
  readonly stepTypes: () => Promise<ReadonlyMap<string, StepType>>;
  /** Finds a step type. The failure says why it may not be used. */
  readonly resolveStep: (name: string) => Promise<{ readonly type: StepType } | { readonly failure: Failure }>;
  /** The record kinds that the caller may read, of all packs. A pack reads the records of another pack by these kinds only. */
  readonly kinds: () => readonly Kind[];
  /** Calls a tool. Never rejects: every failure is an outcome. */
  readonly dispatch: (request: DispatchRequest) => Promise<Outcome>;
}

/** A tool call as its caller makes it. Callers are surfaces, workflow steps and the command line. */
export interface DispatchRequest {
  readonly name: string;
  /** The arguments, an object. Default `{}`. */
  readonly args?: unknown;
  /** Default: a call from inside the process, which is not cancelled and reports no progress. */
  readonly context?: Partial<ToolContext>;
  /** True if the arguments are a part of arguments that dispatch has counted already. */
  readonly isCounted?: boolean;
  /** Why the caller does not run the call, such as one of a batch that was checked before. Observers see the call, and its tool does not run. */
  readonly refusal?: Failure | undefined;
}

/** A callable tool and the facet it belongs to. */
export interface CatalogEntry {
  readonly tool: Tool;
  readonly facet: string;
}

/** The result of looking up a name: a tool, with the deprecated alias if one was used, or the reason why no tool can be called. */
export type Resolution = (CatalogEntry & { readonly alias?: string }) | RefusedLookup;

interface RefusedLookup {
  readonly failure: Failure;
  /** The tool that the server's configuration refuses. */
  readonly refused?: CatalogEntry;
}

/** A type of step that a pack adds to workflows. It is not a tool: no tool list shows it, and only workflows run it. */
export interface StepType {
  /** The name in snake_case with a prefix, like a tool name: `note_digest`. */
  readonly name: string;
  readonly description: string;
  /** True if a step may change anything. Read-only mode rejects such a step, and a dry run skips it. */
  readonly mutates: boolean;
  readonly params: ToolSchema;
  /** Runs a step with validated params. Returns a JSON value, or a `ModelResult`. */
  run(params: unknown, context: ToolContext): unknown;
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

/**
 * Asks the model of the client with the parameters of MCP's `sampling/createMessage`. Returns the result of that method, whose content the caller checks.
 *
 * @param signal ends the waiting
 * @throws ToolError `unavailable` when the client refuses or fails
 */
export type Sample = (
  params: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>;

/** A client that a call can request inputs from. */
export interface ClientAccess {
  /** The capabilities that the client has declared, such as `{ elicitation: { form: {} }, sampling: {} }`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Requests inputs from the client, all in one response. Resolves to the client's response to each, under the name of its request. A missing
   * response is requested again. A request that needs a capability which the client lacks ends the call with the protocol's own error.
   *
   * @throws ToolError `cancelled` when the client does not come back
   */
  request(inputs: Readonly<Record<string, InputRequest>>): Promise<Readonly<Record<string, InputResponse>>>;
}

/** A request for an input, with the parameters of the MCP method. */
export interface InputRequest {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The result of the MCP method of a request. Its fields are those of the method; the tool checks the content of an answer. */
export type InputResponse = Readonly<Record<string, unknown>>;

/** An example call: what a user says, and the arguments of the call for it. Used only by search and describe. */
export interface Example {
  readonly say?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * What a tool that mutates changes: MCP tool annotations, which clients show or ask about before a call, and what of a call can be taken back.
 * A mutating tool with none of the last four is one whose calls cannot be taken back.
 */
export interface Effects<Input = unknown> {
  /** A change may lose data. Default: the value of `mutates`. */
  readonly destructive?: boolean;
  /** A second identical call has no further effect. Default: false. */
  readonly idempotent?: boolean;
  /** The tool accesses systems beyond this machine and the store. Default: false. */
  readonly openWorld?: boolean;
  /** The tool writes records of the store while it runs. Default: none. */
  readonly records?: true;
  /**
   * The entries of the file system that a call with this validated input may change, with everything below them. No one contains another. The tool
   * replaces files and does not write into them. Whatever this throws, the tool throws, too.
   */
  files?(input: Input): readonly FileEffect[];
  /** The call that takes back a call of this tool. Its texts may have expressions over `args` and `result`: `${result.number}`. */
  readonly inverse?: { readonly tool: string; readonly args: unknown };
  /** The tool changes things only by calls of other tools. */
  readonly calls?: true;
}

/** An entry of the file system that a call may change. */
export interface FileEffect {
  /** An absolute path, which may contain links. Missing folders above it may be created, too. */
  readonly path: string;
  /** Whether a link at the end of the path is followed. Default true. */
  readonly follow?: boolean;
  /** An absolute path that the call moves it to. What is there may change, too. Default: it stays. */
  readonly to?: string;
  /** Whether the call changes nothing if there is something at the path, or at the one that it moves to. Default false. */
  readonly onlyIfMissing?: boolean;
}

/**
 * One use of a tool that serves several things, such as `store_put` for one kind of record, or `workflow_run` for one workflow. Tool search finds it by
 * its own words and shows the call for it.
 */
export interface ToolUse {
  /** The name of the thing, such as `reminder`. */
  readonly name: string;
  readonly description: string;
  /** Words that people use for it and that its name and description lack. */
  readonly keywords: readonly string[];
  /** The kind of record, if the thing is one. */
  readonly kind?: Kind;
  /** The JSON Schema of the arguments of such a call. A fixed argument is a `const`. */
  input(): JsonSchema;
  /** The JSON Schema whose fields are searched. Default: that of the arguments. */
  searched?(): JsonSchema;
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
  /** `_meta` in lists, of a tool of another server. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly input: ToolSchema;
  readonly output?: ToolSchema;
  /**
   * The same tool over a part of the record kinds. Undefined: it works on none of them. Only tools over the kinds of other packs have it, so that
   * a catalog can leave out the kinds of packs that a caller may not use.
   */
  forKinds?(isIncluded: (kind: Kind) => boolean): Tool | undefined;
  /** The same tool for a list without `tool_describe`: its schema says what that tool would explain. Default: the tool itself. */
  selfContained?(): Tool;
  /** What the tool can be used for, if it serves several things. Called at the first search. */
  uses?(): readonly ToolUse[];
  /** Runs the tool with validated input. Returns a value that matches the output schema, or a `Reply`. */
  run(input: unknown, context: ToolContext): unknown;
  /** Renders a validated result as text for a model. */
  render(value: unknown): string;
}
