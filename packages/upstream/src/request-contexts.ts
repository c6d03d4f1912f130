import { AsyncLocalStorage } from "node:async_hooks";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";

type Run = ReturnType<typeof AsyncLocalStorage.snapshot>;

/**
 * The async contexts of the requests of one connection. In the 2026 protocol a response may ask the user. It is handled in the context of its request,
 * so that the question is known to belong to that call.
 */
export class RequestContexts {
  readonly #contexts = new Map<string, Run>();

  /** Remembers the current context of a request that is sent. */
  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#contexts.set(keyOf(message.id), AsyncLocalStorage.snapshot());
    else if (message.method === "notifications/cancelled") this.#contexts.delete(keyOf(message.params?.["requestId"]));
  }

  /** Handles a message of the server, a response in the context of its request. */
  handle(message: JSONRPCMessage, work: () => void): void {
    const key = "method" in message ? "" : keyOf(message.id);
    const run = this.#contexts.get(key);
    this.#contexts.delete(key);
    if (run === undefined) work();
    else run(work);
  }
}

/** Servers may write a number as text. Another value, which a hostile server may send, is the id of no request. */
function keyOf(id: unknown): string {
  return typeof id === "string" || typeof id === "number" ? String(id) : "";
}
