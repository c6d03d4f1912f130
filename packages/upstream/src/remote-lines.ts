import { PassThrough, Writable, type Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { StreamableHTTPClientTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { createLineReader } from "@toolpacks/core/bounded-io";
import { authorization } from "./authorization.ts";
import { settleOptions, type RemotePlan } from "./options.ts";

export interface RemoteOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where tokens are kept. */
  readonly dataDirectory: string;
  readonly onError: (error: unknown) => void;
}

/** A server over Streamable HTTP as if it were on a pipe: JSON-RPC, a message to a line. */
export interface RemoteLines {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Waits for answers under way, `waitMs` milliseconds at most (default 0), and ends the session. Who asked and has none by then, gets an error. */
  close(waitMs?: number): Promise<void>;
}

/** A notification that is not taken for so long is overtaken. */
const noticeMs = 5_000;
/** So long the end of a connection waits for what was still to be sent. */
const lastMs = 200;
const mostBytes = 1_000_000_000;
const tooLate = "the connection was closed before the server answered";
/** A request that is answered when the connection ends. */
const listening = "subscriptions/listen";
const versionKey = "io.modelcontextprotocol/protocolVersion";

/** A message as a client wrote it; nothing of it is certain. */
interface Said {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly requestId?: string | number; readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: { readonly protocolVersion?: unknown };
}

/** A request to the server. */
interface Asked {
  readonly said: Said;
  /** Ends the request, which is how a client of 2026 cancels. */
  readonly controller: AbortController;
  readonly answered: Promise<void>;
  /** Whatever its answer, nobody waits for one any more. */
  readonly settle: () => void;
}

/** Connects at the first message. A request that does not get through is answered with an error. */
export async function connectLines({ url, headers, dataDirectory, onError }: RemoteOptions): Promise<RemoteLines> {
  const plan = settleOptions({ name: "server", url, headers: { ...headers } }) as RemotePlan;
  const transport = new StreamableHTTPClientTransport(new URL(plan.url), {
    requestInit: { headers: plan.headers },
    ...authorization(plan, dataDirectory, fetch),
  });
  const bridge = new Bridge(transport, onError);
  await transport.start();
  return bridge;
}

class Bridge implements RemoteLines {
  readonly stdout = new PassThrough();
  readonly stdin: Writable;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #onError: (error: unknown) => void;
  #sent = Promise.resolve();
  #isOver = false;
  /** What waits for an answer. */
  readonly #open = new Map<unknown, Asked>();

  constructor(transport: StreamableHTTPClientTransport, onError: (error: unknown) => void) {
    this.#transport = transport;
    this.#onError = onError;
    transport.onmessage = (message) => this.#receive(message);
    const read = createLineReader(mostBytes, {
      line: (line) => (this.#sent = this.#sent.then(() => this.#sendNext(line.toString()))),
      tooLong: () => onError(new Error(`a message is larger than ${mostBytes} bytes`)),
    });
    this.stdin = new Writable({
      write(chunk: Buffer, _, done) {
        read(chunk);
        done();
      },
    });
  }

  async close(waitMs = 0): Promise<void> {
    const patience = new AbortController();
    const isOver = wait(waitMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([this.#answered(), isOver]);
    patience.abort();
    // What comes from now on comes too late.
    this.#isOver = true;
    this.#transport.onmessage = () => {};
    for (const id of this.#open.keys()) this.#fail(id, tooLate);
    await this.#transport.terminateSession().catch(() => {});
    await this.#transport.close();
    // Whoever stood behind a slow notification is told, too.
    await Promise.race([this.#sent, wait(lastMs)]);
    this.stdout.end();
  }

  #receive(message: JSONRPCMessage): void {
    const { id, method, result } = message as Said;
    const asked = method === undefined ? this.#settle(id) : undefined;
    if (asked !== undefined) {
      const version = asked.said.method === "initialize" ? result?.protocolVersion : undefined;
      if (typeof version === "string") this.#transport.setProtocolVersion(version);
    }
    this.stdout.write(`${JSON.stringify(message)}\n`);
  }

  /** A notification arrives before the next message is sent; requests run beside each other. */
  async #sendNext(text: string): Promise<void> {
    const said = parse(text);
    if (said === undefined) return this.#onError(new Error("a line of the client is no JSON"));
    const { id, method, params } = said;
    if (this.#isOver) {
      if (id !== undefined && method !== undefined) this.#refuse(id, tooLate);
      return;
    }
    const cancelled = method === "notifications/cancelled" ? this.#settle(params?.requestId) : undefined;
    if (cancelled !== undefined && isModern(cancelled.said)) return cancelled.controller.abort();
    if (id !== undefined && method !== undefined) return this.#request(said);
    const sent = this.#transport.send(said as JSONRPCMessage).catch(this.#onError);
    await Promise.race([sent, wait(noticeMs, undefined, { ref: false })]);
  }

  #request(said: Said): void {
    const { id } = said;
    const controller = new AbortController();
    const { promise: answered, resolve: settle } = Promise.withResolvers<void>();
    this.#open.set(id, { said, controller, answered, settle });
    const options = {
      ...(isModern(said) && { requestSignal: controller.signal }),
      onRequestStreamEnd: () => this.#fail(id, "the server ended its answer before it was whole"),
    };
    this.#transport.send(said as JSONRPCMessage, options).catch((error: unknown) => {
      if (!this.#open.has(id)) return;
      this.#onError(error);
      this.#fail(id, error instanceof Error ? error.message : String(error));
    });
  }

  #fail(id: unknown, message: string): void {
    if (this.#settle(id) !== undefined) this.#refuse(id, message);
  }

  #refuse(id: unknown, message: string): void {
    if (this.stdout.writableEnded) return;
    this.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message } })}\n`);
  }

  #settle(id: unknown): Asked | undefined {
    const asked = this.#open.get(id);
    this.#open.delete(id);
    asked?.settle();
    return asked;
  }

  async #answered(): Promise<void> {
    await this.#sent;
    const asked = [...this.#open.values()].filter(({ said }) => said.method !== listening);
    await Promise.all(asked.map(({ answered }) => answered));
  }
}

function isModern({ params }: Said): boolean {
  return params?._meta?.[versionKey] !== undefined;
}

function parse(text: string): Said | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
