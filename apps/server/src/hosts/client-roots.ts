import { setTimeout as wait } from "node:timers/promises";
import { isObject } from "@toolpacks/core";

/** Takes the URIs of the roots that a client names. Resolves when the server uses them. */
export type OnRoots = (uris: readonly string[]) => Promise<void>;

/** How long a client may take to name its roots, in ms. */
export const rootsTimeoutMs = 5_000;
/** How long requests wait for the roots, in ms. */
const maxWaitMs = 3_000;

/** Roots of a client of a protocol up to 2025-11-25, which is asked by a request of the server's. */
export class RequestedRoots {
  readonly #onRoots: OnRoots;
  readonly #onError: (error: Error) => void;
  #turn: Promise<void> = Promise.resolve();
  #ready: Promise<undefined> | undefined;

  constructor(onRoots: OnRoots, onError: (error: Error) => void) {
    this.#onRoots = onRoots;
    this.#onError = onError;
  }

  /** Resolves when the latest roots are in use, or take too long. */
  readonly ready = (): Promise<undefined> | undefined => this.#ready;

  /** Asks for the roots: after the handshake, and whenever they change. */
  refresh(list: () => Promise<unknown>): void {
    this.#turn = this.#turn
      .then(async () => this.#onRoots(urisOf(await list())))
      .catch((error: unknown) => this.#onError(new Error(`the client's roots cannot be read: ${String(error)}`)));
    this.#ready = Promise.race([this.#turn, wait(maxWaitMs, undefined, { ref: false })]).then(() => undefined);
  }
}

const question = "roots";

interface ModernRequest {
  readonly envelope?: Readonly<Record<string, unknown>>;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  requestState(): string | undefined;
}

/**
 * Roots of a client of protocol 2026-07-28, which may be asked only in the answer to a call: its first call is answered with the question, and it comes
 * back with the roots. The protocol has no notification of their change.
 */
export function rootsInCalls(onRoots: OnRoots): (method: string, raw: unknown) => Promise<object | undefined> {
  let isKnown = false;
  return async (method, raw) => {
    const { mcpReq } = raw as { readonly mcpReq: ModernRequest };
    const capabilities = mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
    if (isKnown || method !== "tools/call" || !isObject(capabilities) || capabilities["roots"] === undefined) {
      return undefined;
    }
    const answer = mcpReq.inputResponses?.[question];
    if (answer === undefined && mcpReq.requestState() !== question) {
      return {
        resultType: "input_required",
        inputRequests: { [question]: { method: "roots/list" } },
        requestState: question,
      };
    }
    isKnown = true;
    await onRoots(urisOf(answer));
    return undefined;
  };
}

/** The URIs of an answer to `roots/list`. */
function urisOf(answer: unknown): readonly string[] {
  const roots = isObject(answer) && Array.isArray(answer["roots"]) ? (answer["roots"] as readonly unknown[]) : [];
  return roots.flatMap((root) => (isObject(root) && typeof root["uri"] === "string" ? [root["uri"]] : []));
}
