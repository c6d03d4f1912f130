import { setTimeout as wait } from "node:timers/promises";
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import type { Fetch } from "@toolpacks/bounded-io";
import { StreamBackoff } from "./stream-backoff.ts";

const windowMs = 10_000;
/** Maximum requests of the server in a window. */
const maxRequests = 1_000;
/** Maximum other messages in a window that answer no pending request: notifications, late responses, invalid messages. */
const maxUnrequested = 10_000;
/** Maximum responses to the server in flight. Above it, its event streams are not read. */
const maxPendingResponses = 32;

interface HttpTrafficOptions {
  /** Called when the server sends too many unrequested messages. Without it they are not limited. */
  readonly onFlood?: (error: ToolError) => void;
  /** Called with the error of a stream that is not reopened. */
  readonly onStreamLost?: (error: ToolError) => void;
}

/** Limits for one server over HTTP: unrequested messages, and event streams that end at once. */
export class HttpTraffic {
  readonly #onFlood: HttpTrafficOptions["onFlood"];
  readonly #onStreamLost: HttpTrafficOptions["onStreamLost"];
  /** Ids of requests to the server without a response. */
  readonly #pending = new Set<unknown>();
  #windowStart = 0;
  #requests = 0;
  #unrequested = 0;
  #flood: ToolError | undefined;
  #pendingResponses = 0;
  #responseSent: PromiseWithResolvers<void> | undefined;
  readonly #backoff = new StreamBackoff();

  constructor({ onFlood, onStreamLost }: HttpTrafficOptions = {}) {
    this.#onFlood = onFlood;
    this.#onStreamLost = onStreamLost;
  }

  /** Counts the messages of a transport that is not yet connected. Handlers that are already set run after this. */
  watch(transport: Transport): void {
    const { onmessage, onerror } = transport;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => this.#track(message, options, () => send(message, options));
    transport.onmessage = (message, extra) => {
      this.#receive(message);
      onmessage?.(message, extra);
    };
    transport.onerror = (error) => {
      this.#countUnrequested();
      onerror?.(error);
    };
  }

  /** A promise while the server must read responses before its streams are read. Otherwise undefined. */
  ready(): Promise<void> | undefined {
    if (this.#pendingResponses < maxPendingResponses) return undefined;
    this.#responseSent ??= Promise.withResolvers();
    return this.#responseSent.promise;
  }

  /** Delays requests for event streams, independently of the delay that the server asks for. */
  limitStreams(fetch: Fetch): Fetch {
    return async (input, init) => {
      const isStream = new Headers(init?.headers).get("accept")?.includes("text/event-stream") === true;
      if (isStream && (init?.method ?? "GET") === "GET") await this.#waitToOpen(init?.signal ?? undefined);
      return fetch(input, init);
    };
  }

  async #track(
    message: JSONRPCMessage,
    options: TransportSendOptions | undefined,
    send: () => Promise<void>,
  ): Promise<void> {
    if (!("method" in message)) return this.#respond(send);
    if (!("id" in message)) {
      if (message.method === "notifications/cancelled") this.#pending.delete(message.params?.["requestId"]);
      return send();
    }
    const { id } = message;
    this.#pending.add(id);
    this.#backoff.reset();
    const forget = () => this.#pending.delete(id);
    options?.requestSignal?.addEventListener("abort", forget, { once: true });
    try {
      await send();
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #respond(send: () => Promise<void>): Promise<void> {
    this.#pendingResponses += 1;
    try {
      await send();
    } finally {
      this.#pendingResponses -= 1;
      this.#responseSent?.resolve();
      this.#responseSent = undefined;
    }
  }

  /** @throws ToolError after a flood, so that messages already read are not handled */
  #receive(message: JSONRPCMessage): void {
    if (this.#pending.size > 0) this.#backoff.reset();
    if ("method" in message && "id" in message) this.#countRequest();
    else if ("method" in message || !this.#pending.delete(message.id)) this.#countUnrequested();
    if (this.#flood !== undefined) throw this.#flood;
  }

  #countRequest(): void {
    this.#renewWindow();
    this.#requests += 1;
    if (this.#requests > maxRequests) this.#refuse(`${maxRequests.toLocaleString("en")} requests`);
  }

  #countUnrequested(): void {
    this.#renewWindow();
    this.#unrequested += 1;
    if (this.#unrequested > maxUnrequested) this.#refuse(`${maxUnrequested.toLocaleString("en")} notifications`);
  }

  #renewWindow(): void {
    const now = performance.now();
    if (now - this.#windowStart < windowMs) return;
    this.#windowStart = now;
    this.#requests = 0;
    this.#unrequested = 0;
  }

  #refuse(what: string): void {
    if (this.#flood !== undefined || this.#onFlood === undefined) return;
    this.#flood = new ToolError(
      "unavailable",
      `the server sent more than ${what} in ${windowMs / 1_000} s, and its connection was closed`,
      "The call may have had an effect. The next call connects again.",
    );
    this.#onFlood(this.#flood);
  }

  async #waitToOpen(signal: AbortSignal | undefined): Promise<void> {
    const delayMs = this.#nextDelay();
    if (delayMs > 0) await wait(delayMs, undefined, signal && { signal });
  }

  #nextDelay(): number {
    try {
      // Each pending request may have its own stream, besides the stream of the connection.
      return this.#backoff.next(performance.now(), 1 + this.#pending.size);
    } catch (error) {
      if (ToolError.is(error)) this.#onStreamLost?.(error);
      throw error;
    }
  }
}
