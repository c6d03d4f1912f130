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
    if ("id" in message) this.#contexts.set(String(message.id), AsyncLocalStorage.snapshot());
    else if (message.method === "notifications/cancelled") this.#contexts.delete(String(message.params?.["requestId"]));
  }

  /** Handles a message of the server, a response in the context of its request. */
  handle(message: JSONRPCMessage, work: () => void): void {
    const id = "method" in message ? undefined : String(message.id);
    const run = id === undefined ? undefined : this.#contexts.get(id);
    if (id !== undefined) this.#contexts.delete(id);
    if (run === undefined) work();
    else run(work);
  }
}
