import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { isObject } from "@toolpacks/core";
import type { CallHandler } from "@toolpacks/surface";
import { plainCall, type PlainCall } from "./plain-call.ts";

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
  /** Where it speaks the protocol of 2026: who it is, which goes out with every result. */
  readonly modern?: { readonly name: string; readonly version: string };
}

/** Longer lines are passed on as they come. */
const longestLine = 65_536;
const lineFeed = 0x0a;
const toolCall = "tools/call";
const initialized = "notifications/initialized";
const cancelled = "notifications/cancelled";
const methods = [toolCall, cancelled, initialized];
const internalError = -32_603;

/**
 * Answers plain tool calls without the SDK, whose schemas take longer than all the rest of a call: those of clients that have initialized
 * (protocols up to 2025-11-25), and those of later ones that say of themselves what the SDK has let pass in the same words before. Every other
 * line, and whatever is not plainly right, goes on to the SDK as it came.
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
  /** The latest call that the SDK was given with what its client says of itself, */
  #given: { readonly id: unknown; readonly envelope: string } | undefined;
  /** and what the SDK has let pass. */
  #accepted: string | undefined;
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

  /** The SDK has let this call through to its handler. */
  reached(id: unknown): void {
    if (this.#given?.id === id) this.#accepted = this.#given?.envelope;
  }

  /** True for a message that is dealt with here. */
  #handle(line: string): boolean {
    const message = methods.some((method) => line.includes(method)) ? parse(line) : undefined;
    if (!isObject(message)) return false;
    switch (message["method"]) {
      case toolCall:
        return this.#call(plainCall(message));
      case cancelled:
        return this.#cancel(message["params"]);
      case initialized:
        this.#isInitialized = true;
        return false;
      default:
        return false;
    }
  }

  #call(call: PlainCall | undefined): boolean {
    const server = this.#options.server();
    if (call === undefined || server === undefined || this.#running.has(call.id)) return false;
    if (!this.#isExpected(call, server)) return false;
    void this.#answer(call, server);
    return true;
  }

  /** Whether the SDK would surely call the tool. */
  #isExpected({ id, envelope }: PlainCall, { modern }: FastServer): boolean {
    if (modern === undefined || envelope === undefined) {
      return this.#isInitialized && modern === undefined && envelope === undefined;
    }
    const said = JSON.stringify(envelope);
    if (said === this.#accepted) return true;
    this.#given = { id, envelope: said };
    return false;
  }

  async #answer({ id, request, envelope }: PlainCall, { call, elicit, modern }: FastServer): Promise<void> {
    const abort = new AbortController();
    this.#running.set(id, abort);
    const { signal } = abort;
    const notify = async (notification: object) => {
      if (!this.#write(notification)) await once(this.#options.output, "drain", { signal });
    };
    const requestState = () => undefined;
    const mcpReq = { id, signal, _meta: request.params._meta, notify, elicitInput: elicit, envelope, requestState };
    const answer = await call(request, { mcpReq }).then(
      (result) => ({ result: modern === undefined ? result : modernResult(result, modern) }),
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
  #cancel(params: unknown): boolean {
    const call = isObject(params) ? this.#running.get(params["requestId"]) : undefined;
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

/** A result with what every one has since 2026. */
function modernResult(result: Awaited<ReturnType<CallHandler>>, serverInfo: FastServer["modern"]): object {
  const meta = "_meta" in result ? (result._meta as object) : {};
  return { resultType: "complete", ...result, _meta: { ...meta, "io.modelcontextprotocol/serverInfo": serverInfo } };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
