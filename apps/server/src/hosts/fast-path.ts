import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import type { CallHandler, CallRequest } from "@toolpacks/surface";

export interface FastPathOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** What serves the client now. Before there is anything, all goes to the SDK. */
  readonly server: () => FastServer | undefined;
}

export interface FastServer {
  /** What the SDK would call. */
  readonly call: CallHandler;
  /** Asks the client's user, by a request of the SDK's. */
  readonly elicit: (params: never, options: never) => Promise<unknown>;
}

interface PlainCall {
  readonly id: string | number;
  readonly request: CallRequest;
}

/** Longer lines are passed on as they come. */
const longestLine = 65_536;
const lineFeed = 0x0a;
const toolCall = "tools/call";
const initialized = "notifications/initialized";
const cancelled = "notifications/cancelled";
const internalError = -32_603;

/**
 * Answers plain tool calls of clients that have initialized (protocols up to 2025-11-25) without the SDK, whose schemas take longer than
 * all the rest of a call. Every other line, and whatever is not plainly right, goes on to the SDK as it came. A client that never
 * initializes speaks a later protocol, and the SDK alone answers it.
 */
export class FastPath {
  /** What is left for the SDK to read. */
  readonly rest = new PassThrough();
  readonly #options: FastPathOptions;
  readonly #running = new Map<unknown, AbortController>();
  /** A line that is not complete yet. */
  #begun: Buffer[] = [];
  #size = 0;
  #isLong = false;
  #isInitialized = false;
  #isClosed = false;

  constructor(options: FastPathOptions) {
    this.#options = options;
    const { input } = options;
    input.on("data", (chunk: Buffer) => this.#take(chunk));
    input.once("end", () => this.#end());
    input.once("close", () => this.#end());
    input.once("error", (error) => this.rest.destroy(error));
    this.rest.on("drain", () => input.resume());
  }

  /** Aborts the calls that run, which are not answered, and reads no more. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#running.values()) call.abort();
  }

  #take(chunk: Buffer): void {
    if (this.#isClosed) return;
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      this.#takeEnd(chunk.subarray(start, end + 1));
      start = end + 1;
    }
    if (start < chunk.length) this.#takeBegin(chunk.subarray(start));
  }

  #takeEnd(piece: Buffer): void {
    if (this.#isLong) this.#pass(piece);
    else {
      const line = this.#begun.length === 0 ? piece : Buffer.concat([...this.#begun, piece]);
      if (line.length > longestLine || !this.#handle(line.toString())) this.#pass(line);
    }
    this.#begun = [];
    this.#size = 0;
    this.#isLong = false;
  }

  #takeBegin(piece: Buffer): void {
    if (this.#isLong) return this.#pass(piece);
    this.#begun.push(piece);
    this.#size += piece.length;
    if (this.#size <= longestLine) return;
    this.#isLong = true;
    for (const one of this.#begun) this.#pass(one);
    this.#begun = [];
  }

  #pass(bytes: Buffer): void {
    if (!this.rest.write(bytes)) this.#options.input.pause();
  }

  /** True for a message that is dealt with here. */
  #handle(line: string): boolean {
    if (!this.#isInitialized) {
      this.#isInitialized = line.includes(initialized) && methodOf(parse(line)) === initialized;
      return false;
    }
    if (line.includes(toolCall)) {
      const server = this.#options.server();
      const call = plainCall(parse(line));
      if (call === undefined || server === undefined || this.#running.has(call.id)) return false;
      void this.#answer(call, server);
      return true;
    }
    return line.includes(cancelled) && this.#cancel(parse(line));
  }

  async #answer({ id, request }: PlainCall, { call, elicit }: FastServer): Promise<void> {
    const abort = new AbortController();
    this.#running.set(id, abort);
    const { signal } = abort;
    const notify = async (notification: object) => {
      if (!this.#write(notification)) await once(this.#options.output, "drain", { signal });
    };
    const mcpReq = { id, signal, _meta: request.params._meta, notify, elicitInput: elicit };
    const answer = await call(request, { mcpReq }).then(
      (result) => ({ result }),
      (error: unknown) => ({
        error: { code: internalError, message: error instanceof Error ? error.message : String(error) },
      }),
    );
    this.#running.delete(id);
    // Nobody waits for the answer to a call that was cancelled.
    if (!signal.aborted) this.#write({ id, ...answer });
  }

  /** False where whoever writes more should wait. */
  #write(message: object): boolean {
    return this.#isClosed || this.#options.output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** True where it is a call of ours that the client gives up. */
  #cancel(message: unknown): boolean {
    if (!isObject(message) || message["method"] !== cancelled || !isObject(message["params"])) return false;
    const call = this.#running.get(message["params"]["requestId"]);
    call?.abort();
    return call !== undefined;
  }

  #end(): void {
    this.close();
    for (const piece of this.#begun) this.rest.write(piece);
    this.#begun = [];
    this.rest.end();
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function methodOf(message: unknown): unknown {
  return isObject(message) ? message["method"] : undefined;
}

const callFields = new Set(["jsonrpc", "id", "method", "params"]);
const paramFields = new Set(["name", "arguments", "_meta"]);

/** A request that has nothing but what a tool call must have; undefined for any other message. */
function plainCall(message: unknown): PlainCall | undefined {
  if (!isObject(message) || message["method"] !== toolCall || message["jsonrpc"] !== "2.0") return undefined;
  const { id, params } = message;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (!isObject(params) || typeof params["name"] !== "string") return undefined;
  const { name, arguments: args, _meta: meta } = params;
  if (args !== undefined && !isObject(args)) return undefined;
  if (meta !== undefined && !isPlainMeta(meta)) return undefined;
  if (!hasOnly(message, callFields) || !hasOnly(params, paramFields)) return undefined;
  return { id: id as string | number, request: { params: { name, arguments: args, _meta: meta } } };
}

/** Names that the protocol keeps for itself; what a client says under its own is nothing that anybody here would read. */
const reservedName = /(^|\.)(modelcontextprotocol|mcp)(\.[^/]*)?\//;

function isPlainMeta(meta: unknown): meta is { readonly progressToken?: string | number } {
  if (!isObject(meta)) return false;
  const { progressToken } = meta;
  const isToken =
    progressToken === undefined || typeof progressToken === "string" || Number.isSafeInteger(progressToken);
  return isToken && !Object.keys(meta).some((name) => reservedName.test(name));
}

function hasOnly(fields: object, known: ReadonlySet<string>): boolean {
  return Object.keys(fields).every((name) => known.has(name));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
