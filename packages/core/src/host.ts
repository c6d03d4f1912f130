import { z } from "zod";
import { toCallToolResult, type ResultsMode } from "./call-tool-result.ts";
import type { CatalogEntry } from "./catalog.ts";
import type { Dispatcher, DispatchRequest } from "./dispatch.ts";
import { listTool, listsOutput } from "./listed-tool.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { ToolHost } from "./tool-host.ts";
import type { Elicit, Tool, ToolContext } from "./tool.ts";

interface RegisterToolsOptions {
  readonly dispatcher: Dispatcher;
  readonly results: ResultsMode;
}

/** Registers catalog entries on a server of either SDK. */
export function registerTools(server: ToolHost, entries: readonly CatalogEntry[], options: RegisterToolsOptions): void {
  const { dispatcher, results } = options;
  for (const { tool } of entries) {
    const { description, annotations } = listTool(tool, results);
    const { input, output } = passThroughSchemas(tool);
    const config = {
      description,
      annotations,
      inputSchema: input,
      ...(output !== undefined && listsOutput(tool, results) && { outputSchema: output }),
    };
    server.registerTool(tool.name, config, async (args: unknown, raw: unknown) =>
      toCallToolResult(await dispatcher.dispatch({ name: tool.name, args, ...requestContext(raw) }), results),
    );
  }
}

interface PassThrough {
  readonly input: z.core.$ZodObject;
  readonly output: z.core.$ZodObject | undefined;
}

const passThrough = new WeakMap<Tool, PassThrough>();

/**
 * Schemas that an SDK lists as they are and lets everything through, because validation is dispatch's. Made once per
 * tool: building them for each server of a server-per-request host costs four fifths of its throughput.
 */
function passThroughSchemas(tool: Tool): PassThrough {
  let schemas = passThrough.get(tool);
  if (schemas === undefined) {
    schemas = { input: passThroughOf(tool.input.json()), output: tool.output && passThroughOf(tool.output.json()) };
    passThrough.set(tool, schemas);
  }
  return schemas;
}

/** SDK 1.x asks the schema's internals for its JSON Schema, and 2.x its Standard Schema, which has one from zod 4.2 on only. */
function passThroughOf(json: JsonSchema): z.core.$ZodObject {
  const schema = z.looseObject({});
  const listed = () => ({ ...json });
  schema._zod.toJSONSchema = listed;
  const standard = { version: 1, vendor: "toolpacks", validate: (value: unknown) => ({ value }) };
  Object.defineProperty(schema, "~standard", { value: { ...standard, jsonSchema: { input: listed, output: listed } } });
  return schema;
}

/** What the two SDKs hand a handler beside its arguments: `extra` of 1.x, `ctx` of 2.x. */
interface RawContext {
  readonly signal?: AbortSignal;
  readonly requestId?: string | number;
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
    /** Present on a request of a 2026 client, which is asked within results and not by requests. */
    readonly envelope?: object;
    readonly elicitInput?: (params: object, options: RequestOptions) => Promise<unknown>;
  };
  readonly http?: {
    readonly authInfo?: unknown;
    readonly req?: { readonly headers: { get(name: string): string | null } };
  };
}

type RequestOptions = { readonly timeout: number; readonly signal: AbortSignal };
type RequestMeta = { readonly progressToken?: string | number };
type Notify = (notification: { method: "notifications/progress"; params: Record<string, unknown> }) => Promise<void>;

type Requested = Required<Pick<DispatchRequest, "context" | "signal" | "progress">> & Pick<DispatchRequest, "elicit">;

/** Reads signal, progress, caller and headers from either SDK's handler context. */
export function requestContext(raw: unknown): Requested {
  const context = (raw ?? {}) as RawContext;
  const { mcpReq, http } = context;
  const requestId = mcpReq?.id ?? context.requestId;
  const auth = http?.authInfo ?? context.authInfo;
  const headers = http?.req?.headers;
  const signal = mcpReq?.signal ?? context.signal ?? new AbortController().signal;
  const elicit = elicitor(context, signal);
  return {
    signal,
    ...(elicit && { elicit }),
    progress: progressReporter(mcpReq?._meta ?? context._meta, mcpReq?.notify ?? context.sendNotification),
    context: {
      ...(requestId !== undefined && { requestId }),
      ...(auth !== undefined && { auth }),
      header: (name) =>
        headers ? (headers.get(name) ?? undefined) : firstHeader(context.requestInfo?.headers?.[name.toLowerCase()]),
    },
  };
}

function firstHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Sends one notification at a time. While a client does not read, the newest step replaces the one that waits. */
function progressReporter(meta: RequestMeta | undefined, notify: Notify | undefined): ToolContext["progress"] {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined || notify === undefined) return async () => {};
  let next: Record<string, unknown> | undefined;
  let sending: Promise<void> | undefined;
  const send = async () => {
    while (next !== undefined) {
      const params = next;
      next = undefined;
      // A client that is gone gets no progress; the call itself must not fail for it.
      await notify({ method: "notifications/progress", params }).catch(() => {});
    }
    sending = undefined;
  };
  return async (done, total, message) => {
    // JSON has no infinite numbers: it would say null.
    if (!Number.isFinite(done)) return;
    next = {
      progressToken,
      progress: done,
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(message !== undefined && { message }),
    };
    return (sending ??= send());
  };
}

/** A person may take this long to answer. */
const answerMs = 600_000;

const elicitAnswer = z.looseObject({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).optional(),
});

function elicitor({ mcpReq, sendRequest }: RawContext, signal: AbortSignal): Elicit | undefined {
  const { elicitInput, envelope } = mcpReq ?? {};
  const ask = (params: object, withdrawn: AbortSignal | undefined): Promise<unknown> | undefined => {
    const both = withdrawn === undefined ? signal : AbortSignal.any([signal, withdrawn]);
    const options = { timeout: answerMs, signal: both };
    return elicitInput === undefined
      ? sendRequest?.({ method: "elicitation/create", params }, elicitAnswer, options)
      : elicitInput(params, options);
  };
  if (envelope !== undefined || (elicitInput === undefined && sendRequest === undefined)) return undefined;
  return async (params, withdrawn) => {
    try {
      const { action, content } = elicitAnswer.parse(await ask(params, withdrawn));
      return content === undefined ? { action } : { action, content };
    } catch {
      // A client that cannot ask its user says so by an error; to whoever asked, nobody answered.
      return { action: "cancel" };
    }
  };
}
