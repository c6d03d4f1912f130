import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Dispatcher } from "./dispatch.ts";
import { isObject, type JsonSchema } from "@toolpacks/schema";
import { listTool, listsOutput } from "./listed-tool.ts";
import { toCallToolResult, type ResultsMode } from "./outcome.ts";
import { principalOf } from "./principal.ts";
import { ToolError } from "./tool-error.ts";
import type { ToolHost } from "./tool-host.ts";
import type { CatalogEntry, ElicitAnswer, LogLevel, Tool, ToolContext } from "./tool.ts";
import { readTraceContext } from "./trace-context.ts";

/** Registers catalog entries on a server of either SDK. */
export function registerTools(
  server: ToolHost,
  entries: readonly CatalogEntry[],
  { dispatcher, results }: { readonly dispatcher: Dispatcher; readonly results: ResultsMode },
): void {
  const session = newSessionId();
  for (const entry of entries) {
    const tool = entry.tool.selfContained?.() ?? entry.tool;
    const { description, annotations, _meta } = listTool(tool, results);
    const { input, output } = passThroughSchemas(tool);
    const config = {
      description,
      annotations,
      inputSchema: input,
      ...(output !== undefined && listsOutput(tool, results) && { outputSchema: output }),
      ...(_meta && { _meta: { ..._meta } }),
    };
    server.registerTool(tool.name, config, async (args: unknown, raw: unknown) =>
      toCallToolResult(
        await dispatcher.dispatch({ name: tool.name, args, context: requestContext(raw, session) }),
        results,
      ),
    );
  }
}

/** Creates the id of the session of a client that is connected to a server. */
export function newSessionId(): string {
  return `c-${randomBytes(5).toString("hex")}`;
}

interface PassThrough {
  readonly input: z.core.$ZodObject;
  readonly output: z.core.$ZodObject | undefined;
}

const passThrough = new WeakMap<Tool, PassThrough>();

/**
 * Schemas that an SDK lists unchanged and that accept every value, because dispatch validates. Created once per tool, because a host with one
 * server per request registers the tools for each request.
 */
function passThroughSchemas(tool: Tool): PassThrough {
  let schemas = passThrough.get(tool);
  if (schemas === undefined) {
    schemas = { input: passThroughOf(tool.input.json()), output: tool.output && passThroughOf(tool.output.json()) };
    passThrough.set(tool, schemas);
  }
  return schemas;
}

/** SDK 1.x reads the JSON Schema from the zod internals. SDK 2.x reads it from the Standard Schema, which zod supports only since 4.2. */
function passThroughOf(json: JsonSchema): z.core.$ZodObject {
  const schema = z.looseObject({});
  const listed = () => ({ ...json });
  schema._zod.toJSONSchema = listed;
  const standard = { version: 1, vendor: "toolpacks", validate: (value: unknown) => ({ value }) };
  Object.defineProperty(schema, "~standard", { value: { ...standard, jsonSchema: { input: listed, output: listed } } });
  return schema;
}

/** The second argument of a handler: `extra` in SDK 1.x, `ctx` in SDK 2.x. */
interface RawContext {
  readonly signal?: AbortSignal;
  readonly requestId?: string | number;
  /** Absent on a connection without a session, such as stateless HTTP. */
  readonly sessionId?: string | undefined;
  readonly authInfo?: unknown;
  readonly requestInfo?: { readonly headers?: Readonly<Record<string, string | string[] | undefined>> };
  readonly _meta?: RequestMeta;
  readonly sendNotification?: Notify;
  readonly sendRequest?: (request: object, result: z.ZodType, options: RequestOptions) => Promise<unknown>;
  readonly mcpReq?: {
    readonly signal: AbortSignal;
    readonly id: string | number;
    readonly _meta?: RequestMeta;
    readonly notify: Notify;
    readonly log?: (level: LogLevel, message: string) => Promise<void>;
    /** Present on a request of a 2026 client. The server asks such a client in results, not in requests. */
    readonly envelope?: Readonly<Record<string, unknown>>;
    readonly elicitInput?: AskClient;
    readonly requestSampling?: AskClient;
  };
  readonly http?: {
    readonly authInfo?: unknown;
    readonly req?: { readonly headers: { get(name: string): string | null } };
  };
}

type RequestMeta = { readonly progressToken?: string | number };
type RequestOptions = { readonly timeout: number; readonly signal: AbortSignal };
/** Sends a request of one method to the client. */
type AskClient = (params: object, options: RequestOptions) => Promise<unknown>;
type Notify = (notification: { method: "notifications/progress"; params: Record<string, unknown> }) => Promise<void>;

/**
 * The context of a call, read from either SDK's handler context: signal, progress, caller, headers, trace, and questions to the user and to the client's model.
 *
 * @param session the id of the session, if all requests of the server belong to one. Ignored over stateless HTTP.
 */
export function requestContext(raw: unknown, session?: string): ToolContext {
  const context = (raw ?? {}) as RawContext;
  const { mcpReq, http } = context;
  const auth = http?.authInfo ?? context.authInfo;
  const headers = http?.req?.headers;
  const signal = mcpReq?.signal ?? context.signal ?? new AbortController().signal;
  const meta = mcpReq?._meta ?? context._meta;
  const protocolVersion = mcpReq?.envelope?.["io.modelcontextprotocol/protocolVersion"];
  return {
    signal,
    ...clientRequests(context, signal),
    // If the client is gone, the message is lost and the call goes on.
    ...(mcpReq?.log && { log: async (level, message) => mcpReq.log?.(level, message).catch(() => {}) }),
    progress: progressReporter(meta, mcpReq?.notify ?? context.sendNotification),
    requestId: mcpReq?.id ?? context.requestId,
    principal: principalOf(auth),
    session: isStatelessHttp(context) ? undefined : session,
    auth,
    trace: readTraceContext(meta),
    protocolVersion: typeof protocolVersion === "string" ? protocolVersion : undefined,
    header: (name) =>
      headers ? (headers.get(name) ?? undefined) : firstHeader(context.requestInfo?.headers?.[name.toLowerCase()]),
  };
}

function firstHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Reports progress, one notification at a time. While the client does not read, a newer step replaces the waiting one. */
function progressReporter(meta: RequestMeta | undefined, notify: Notify | undefined): ToolContext["progress"] {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined || notify === undefined) return async () => {};
  let next: Record<string, unknown> | undefined;
  let sending: Promise<void> | undefined;
  const send = async () => {
    while (next !== undefined) {
      const params = next;
      next = undefined;
      // If the client is gone, the notification is lost and the call goes on.
      await notify({ method: "notifications/progress", params }).catch(() => {});
    }
    sending = undefined;
  };
  return async (done, total, message) => {
    // JSON has no infinite numbers and would write null.
    if (!Number.isFinite(done)) return;
    next = { progressToken, progress: done, total: Number.isFinite(total) ? total : undefined, message };
    return (sending ??= send());
  };
}

/** Whether the request came over HTTP without a session. Its client cannot answer requests of the server, because the answer may reach another server. */
function isStatelessHttp({ http, requestInfo, sessionId }: RawContext): boolean {
  return sessionId === undefined && (http?.req !== undefined || requestInfo !== undefined);
}

/** Timeout for the answer of the user, or of the client's model, in ms. */
const answerTimeoutMs = 600_000;

/** The ways to ask the client in requests. None over stateless HTTP, nor with a client of protocol 2026-07-28, which is asked in results. */
function clientRequests(context: RawContext, signal: AbortSignal): Pick<ToolContext, "elicit" | "sample"> {
  const { mcpReq, sendRequest } = context;
  if (mcpReq?.envelope !== undefined || isStatelessHttp(context)) return {};
  const asker = (own: AskClient | undefined, method: string): AskClient | undefined =>
    own ?? (sendRequest && ((params, options) => sendRequest({ method, params }, z.looseObject({}), options)));
  const optionsOf = (stopped: AbortSignal | undefined) => ({
    timeout: answerTimeoutMs,
    signal: stopped === undefined ? signal : AbortSignal.any([signal, stopped]),
  });
  const ask = asker(mcpReq?.elicitInput, "elicitation/create");
  const sample = asker(mcpReq?.requestSampling, "sampling/createMessage");
  return {
    // A client that cannot ask its user answers with an error. The tool gets `cancel`.
    ...(ask && { elicit: async (params, stopped) => asAnswer(await ask(params, optionsOf(stopped)).catch(() => {})) }),
    ...(sample && { sample: (params, stopped) => sampleClient(sample, params, optionsOf(stopped)) }),
  };
}

/** Asks the client's model. @throws ToolError `unavailable` when the client refuses or fails */
async function sampleClient(ask: AskClient, params: object, options: RequestOptions) {
  try {
    const message = await ask(params, options);
    if (isObject(message)) return message;
  } catch (error) {
    options.signal.throwIfAborted();
    const code = isObject(error) && typeof error["code"] === "number" ? ` (code ${error["code"]})` : "";
    throw new ToolError("unavailable", `the client did not answer for its model${code}`);
  }
  throw new ToolError("unavailable", "the client answered no message of its model");
}

/** Reads the answer to a question to the user. Only its shape is checked here; the code that asked checks its content. */
export function asAnswer(response: unknown): ElicitAnswer {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
  if (action !== "accept" && action !== "decline") return { action: "cancel" };
  return isObject(content) ? { action, content } : { action };
}
