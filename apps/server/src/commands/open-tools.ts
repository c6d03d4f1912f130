import { ToolError, type Failure, type ListPage, type OwnedStore } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { processIo, type Io } from "../io.ts";
import type { LogLevel } from "../log.ts";
import type { RuntimeOptions } from "../mount/runtime.ts";
import { printError, printJson } from "../print.ts";
import { showWaiting } from "./announce-waiting.ts";
import type { CallProgress, OpenRequests, RequestEvent, RequestOptions, SendRequest } from "./tool-requests.ts";

/** A call of a tool by a command. */
export interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Called with each step of the call that the tool reports. */
  readonly onProgress?: (progress: CallProgress) => void;
}

/** The result of a call, as plain JSON. */
export type ToolResult<Value> = CallSuccess<Value> | CallFailure<Value>;

interface CallSuccess<Value> {
  readonly ok: true;
  /** The structured result. Its shape is the output schema of the tool. */
  readonly value: Value;
  /** The text that a model reads. */
  readonly text: string;
}

interface CallFailure<Value> {
  readonly ok: false;
  readonly failure: Failure;
  /** The part of the call that succeeded. */
  readonly value?: Value;
}

/** Tools that a command calls by dispatch: with the policy, rights and traces of a model's call. */
export interface Tools {
  /** Calls a tool. Never rejects for a failure of the tool. */
  call<Value = unknown>(call: ToolCall): Promise<ToolResult<Value>>;
}

interface RequestUse {
  readonly io: Io;
  readonly flags: Flags;
  /** Level of the log, if no flag sets one. */
  readonly quiet: LogLevel;
}

/**
 * Runs a function that sends requests to the tools that the flags select, in a runtime that is closed afterwards.
 * An interrupt cancels the requests. On stderr it shows which other servers they wait for.
 */
export async function withRequests<T>(
  use: RequestUse,
  work: (send: SendRequest, options: RequestOptions) => Promise<T>,
): Promise<T> {
  const { send, close } = await openRequests(use);
  const waiting = showWaiting(use.io);
  const onEvent = (event: RequestEvent) => {
    if ("waitsFor" in event) waiting.update(event.waitsFor);
  };
  try {
    return await work(send, { signal: use.io.signal, onEvent });
  } finally {
    waiting.stop();
    await close();
  }
}

async function openRequests(use: RequestUse): Promise<OpenRequests> {
  const [{ createRuntime }, { requestsOf }] = await Promise.all([
    import("../mount/runtime.ts"),
    import("./answer-requests.ts"),
  ]);
  const runtime = await createRuntime(use.flags, use);
  return { send: requestsOf(runtime), close: () => runtime.finish() };
}

/** Runs a function that calls the tools that the flags select. */
export function withTools<T>(flags: Flags, work: (tools: Tools) => Promise<T>): Promise<T> {
  return withRequests({ io: processIo(), flags, quiet: "error" }, (send, options) => work(toolsOf(send, options)));
}

/** The same in this process and without traces of the calls, for a function that watches the store: a trace of each look would cause the next one. */
export async function withUntracedTools<T>(
  flags: Flags,
  work: (tools: Tools, store: OwnedStore) => Promise<T>,
  use: Pick<RuntimeOptions, "io" | "narrow"> = {},
): Promise<T> {
  const [{ createRuntime }, { requestsOf }] = await Promise.all([
    import("../mount/runtime.ts"),
    import("./answer-requests.ts"),
  ]);
  const runtime = await createRuntime(flags, { quiet: "error", recordsTraces: false, ...use });
  const requestOptions = { signal: new AbortController().signal, onEvent: () => {} };
  try {
    return await work(toolsOf(requestsOf(runtime), requestOptions), runtime.store);
  } finally {
    await runtime.finish();
  }
}

/** Calls one tool of the runtime that the flags select. */
export function callTool<Value>(
  flags: Flags,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<ToolResult<Value>> {
  return withTools(flags, (tools) => tools.call<Value>({ tool, args }));
}

/** Maximum number of items that one call asks for. */
const maxPageItems = 200;

/** Lists up to `limit` items, by as many calls as that takes. */
export async function callList<Item>(
  tools: Tools,
  { tool, args }: Pick<ToolCall, "tool" | "args">,
  limit: number,
): Promise<ToolResult<ListPage<Item>>> {
  const call = (left: number, cursor?: string) => {
    const page = { limit: Math.min(left, maxPageItems), ...(cursor !== undefined && { cursor }) };
    return tools.call<ListPage<Item>>({ tool, args: { ...args, ...page } });
  };
  const first = await call(limit);
  if (!first.ok) return first;
  const { cursor: firstCursor, ...page } = first.value;
  const items = [...page.items];
  let cursor = firstCursor;
  while (cursor !== undefined && items.length < limit) {
    const next = requireValue(await call(limit - items.length, cursor));
    items.push(...next.items);
    ({ cursor } = next);
  }
  return { ...first, value: { ...page, items, ...(cursor !== undefined && { cursor }) } };
}

function toolsOf(send: SendRequest, { signal, onEvent }: RequestOptions): Tools {
  return {
    async call<Value>({ tool, args, onProgress }: ToolCall): Promise<ToolResult<Value>> {
      const outcome = await send(
        "call",
        { tool, args: { json: args, pairs: [] } },
        { signal, onEvent: (event) => ("progress" in event ? onProgress?.(event.progress) : onEvent(event)) },
      );
      const value = outcome.value as Value | undefined;
      if (!outcome.ok) return { ok: false, failure: outcome.failure, ...(value !== undefined && { value }) };
      if (value !== undefined) return { ok: true, value, text: outcome.text };
      throw new Error(`${tool} returned no structured result`);
    },
  };
}

/** @throws ToolError when the call failed */
export function requireValue<Value>(result: ToolResult<Value>): Value {
  if (result.ok) return result.value;
  const { code, message, hint } = result.failure;
  throw new ToolError(code, message, hint);
}

/** Prints the structured result of a call: as JSON with `--json`, else by a function. @throws ToolError when the call failed */
export function showResult<Value>(
  result: ToolResult<Value>,
  { json }: { readonly json?: boolean },
  show: (value: Value) => void,
): void {
  const value = requireValue(result);
  if (json === true) printJson(value, 2);
  else show(value);
}

/** Prints on stderr that a list is empty: the hint of the tool, or another text. Without a root, the records may be in the workspace of a folder. */
export function printEmpty(hint: string | undefined, otherwise: string, { root, workspace }: Flags): void {
  printError(...(hint ?? otherwise).split("\n"));
  if (root === undefined && workspace === undefined) printError("to select the records of this folder: --root .");
}
