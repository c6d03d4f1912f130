import { PassThrough, Writable, type Readable } from "node:stream";
import { errorText, isObject, withTimeout, jsonValue } from "@toolpacks/core";
import { StreamableHTTPClientTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";
import {
  boundedFetch,
  createMessageReader,
  maxMessageBytes,
  oversizedMessage,
  waitForDrain,
  type OversizedMessage,
} from "@toolpacks/bounded-io";
import { authorization } from "./authorization.ts";
import { endSession } from "./disconnect.ts";
import { createFileState } from "./file-state.ts";
import { withStreamPauses } from "./http-bounds.ts";
import { parseUpstreamOptions, type RemotePlan } from "./options.ts";

export interface RemoteOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Directory of the tokens. */
  readonly dataDirectory: string;
  readonly onError: (error: unknown) => void;
}

/** A server over Streamable HTTP as a pipe: JSON-RPC, one message per line. */
export interface RemoteLines {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Waits at most `waitMs` (default 0) for pending responses, then ends the session. Requests without a response get an error. */
  close(waitMs?: number): Promise<void>;
}

/** Maximum time to wait for a notification before the next message is sent. */
const noticeMs = 5_000;
/** Maximum time that closing waits for unsent messages. */
const lastMs = 200;
/** Time allowed for the server to acknowledge the end of the session. */
const endSessionMs = 1_000;
/** Maximum bytes of requests that wait for responses. Further requests are refused. */
const maxPendingBytes = 64 * 1024 * 1024;
const tooLate = "the connection was closed before the server answered";
/** A request that stays open until the connection ends. */
const listening = "subscriptions/listen";
const versionKey = "io.modelcontextprotocol/protocolVersion";

/** A message of the client. Its types are not validated. */
interface ClientMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly requestId?: string | number; readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: { readonly protocolVersion?: unknown };
}

/** A pending request to the server. */
interface PendingRequest {
  readonly message: ClientMessage;
  /** Aborts the request. A 2026 client cancels this way. */
  readonly controller: AbortController;
  readonly answered: Promise<void>;
  readonly bytes: number;
  /** Resolves `answered`, also when no response is expected any more. */
  readonly resolve: () => void;
}

/** Connects at the first message. A request that cannot be sent gets an error response. */
export async function connectLines({ url, headers, dataDirectory, onError }: RemoteOptions): Promise<RemoteLines> {
  const plan = parseUpstreamOptions({ name: "server", url, headers: { ...headers } }) as RemotePlan;
  const stdout = new PassThrough();
  const bounded = boundedFetch({
    maxBytes: maxMessageBytes,
    perEvent: true,
    ready: () => waitForDrain(stdout),
    onTooLarge: (error) => bridge.oversized(error),
  });
  const transport = new StreamableHTTPClientTransport(new URL(plan.url), {
    requestInit: { headers: plan.headers },
    ...authorization(plan, createFileState(dataDirectory), withStreamPauses(bounded)),
  });
  const bridge = new Bridge({ transport, stdout, onError });
  await transport.start();
  return bridge;
}

interface BridgeOptions {
  readonly transport: StreamableHTTPClientTransport;
  readonly stdout: PassThrough;
  readonly onError: (error: unknown) => void;
}

class Bridge implements RemoteLines {
  readonly stdout: PassThrough;
  readonly stdin: Writable;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #onError: (error: unknown) => void;
  #sent = Promise.resolve();
  #isOver = false;
  /** Pending requests by id. */
  readonly #pending = new Map<unknown, PendingRequest>();
  /** Bytes of requests that are queued or pending. */
  #pendingBytes = 0;
  /** The error of the latest response that was too large. */
  #oversize: string | undefined;

  constructor({ transport, stdout, onError }: BridgeOptions) {
    this.stdout = stdout;
    this.#transport = transport;
    this.#onError = onError;
    transport.onmessage = (message) => this.#receive(message);
    const read = createMessageReader({
      line: (line) => this.#queue(line),
      oversized: (message) => this.#refuseOversized(message),
    });
    this.stdin = new Writable({
      write: (chunk: Buffer, _, done) => {
        read(chunk);
        done();
      },
    });
  }

  #queue(line: Buffer): void {
    const hasRoom = this.#pendingBytes <= maxPendingBytes;
    this.#pendingBytes += line.length;
    this.#sent = this.#sent.then(async () => {
      const isPending = await this.#sendNext(line.toString(), line.length, hasRoom);
      if (!isPending) this.#pendingBytes -= line.length;
    });
  }

  #refuseOversized({ id, isResponse, reason }: OversizedMessage): void {
    const message = `the message is ${reason}`;
    this.#onError(new Error(message));
    if (id !== undefined && !isResponse) this.#refuse(id, message);
  }

  async close(waitMs = 0): Promise<void> {
    await withTimeout(this.#answered(), { ms: waitMs, onTimeout: () => {} });
    // Later messages are dropped.
    this.#isOver = true;
    this.#transport.onmessage = () => {};
    for (const id of this.#pending.keys()) this.#fail(id, tooLate);
    await endSession(this.#transport, endSessionMs);
    await this.#transport.close();
    // Queued requests behind a slow notification get an error too.
    await withTimeout(this.#sent, { ms: lastMs, onTimeout: () => {} });
    this.stdout.end();
  }

  #receive(message: JSONRPCMessage): void {
    const oversized = oversizedMessage(message);
    if (oversized !== undefined) {
      if (oversized.isResponse) this.#fail(oversized.id, `the response is ${oversized.reason}`);
      return;
    }
    const { id, method, result } = message as ClientMessage;
    const asked = method === undefined ? this.#removePending(id) : undefined;
    if (asked !== undefined) {
      const version = asked.message.method === "initialize" ? result?.protocolVersion : undefined;
      if (typeof version === "string") this.#transport.setProtocolVersion(version);
    }
    this.stdout.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Sends a message. A notification is sent before the next message; requests run in parallel.
   *
   * @returns whether the message is a request that waits for its response
   */
  async #sendNext(text: string, bytes: number, hasRoom: boolean): Promise<boolean> {
    const message = parse(text);
    if (message === undefined) {
      this.#onError(new Error("a line of the client is not JSON"));
      return false;
    }
    const oversized = oversizedMessage(message);
    if (oversized !== undefined) {
      this.#refuseOversized(oversized);
      return false;
    }
    const { id, method, params } = message;
    if (this.#isOver) {
      if (id !== undefined && method !== undefined) this.#refuse(id, tooLate);
      return false;
    }
    const cancelled = method === "notifications/cancelled" ? this.#removePending(params?.requestId) : undefined;
    if (cancelled !== undefined && isModern(cancelled.message)) {
      cancelled.controller.abort();
      return false;
    }
    if (id !== undefined && method !== undefined) {
      if (!hasRoom) {
        this.#refuse(id, `more than ${maxPendingBytes.toLocaleString("en")} bytes of requests wait for responses`);
        return false;
      }
      this.#request(message, bytes);
      return true;
    }
    const sent = this.#transport.send(message as JSONRPCMessage).catch(this.#onError);
    await withTimeout(sent, { ms: noticeMs, onTimeout: () => {} });
    return false;
  }

  #request(message: ClientMessage, bytes: number): void {
    const { id } = message;
    const controller = new AbortController();
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    // A second request of this id replaces the first.
    this.#removePending(id);
    this.#pending.set(id, { message, controller, answered, resolve, bytes });
    const options = {
      ...(isModern(message) && { requestSignal: controller.signal }),
      onRequestStreamEnd: () =>
        this.#fail(id, this.#takeOversize() ?? "the server ended its answer before it was whole"),
    };
    this.#transport.send(message as JSONRPCMessage, options).catch((error: unknown) => {
      if (!this.#pending.has(id)) return;
      this.#onError(error);
      this.#fail(id, errorText(error));
    });
  }

  /** The SDK reports a failed stream without its cause. */
  oversized(error: Error): void {
    this.#oversize = error.message;
  }

  #takeOversize(): string | undefined {
    const message = this.#oversize;
    this.#oversize = undefined;
    return message;
  }

  #fail(id: unknown, message: string): void {
    if (this.#removePending(id) !== undefined) this.#refuse(id, message);
  }

  #refuse(id: unknown, message: string): void {
    if (this.stdout.writableEnded) return;
    this.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message } })}\n`);
  }

  #removePending(id: unknown): PendingRequest | undefined {
    const asked = this.#pending.get(id);
    this.#pending.delete(id);
    asked?.resolve();
    this.#pendingBytes -= asked?.bytes ?? 0;
    return asked;
  }

  async #answered(): Promise<void> {
    await this.#sent;
    const asked = [...this.#pending.values()].filter(({ message }) => message.method !== listening);
    await Promise.all(asked.map(({ answered }) => answered));
  }
}

function isModern({ params }: ClientMessage): boolean {
  return params?._meta?.[versionKey] !== undefined;
}

function parse(text: string): ClientMessage | undefined {
  const value = jsonValue(text);
  return isObject(value) ? value : undefined;
}
