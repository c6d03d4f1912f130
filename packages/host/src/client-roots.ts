import { isObject, ToolError, toCallToolResult, withTimeout } from "@toolpacks/core";
import { z } from "zod";
import type { UseRoots } from "./served-surface.ts";

/** Hook of `attach` that runs before each request. A value it resolves to replaces the request's result. */
type Before = (method: string, raw: unknown) => Promise<object | undefined>;

/** Maximum time that a call waits for the roots, in ms. */
const maxWaitMs = 10_000;
/** Maximum time that a list waits for the roots, in ms. After it, the list is answered without them, since it shows no records. */
const maxListWaitMs = 3_000;
/** Timeout of the roots request, in ms. Node's maximum, since a client may ask its user first. */
const answerTimeoutMs = 2_147_483_647;

/** The methods of a server that request roots from a client of a protocol up to 2025-11-25. */
export interface AskableServer {
  getClientCapabilities(): { readonly roots?: unknown } | undefined;
  request(request: { method: "roots/list" }, schema: z.ZodObject, options: AskOptions): Promise<unknown>;
}

interface AskOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/** Accepts any result. The SDK's schema rejects the whole result when one root is not a `file://` URI. */
const anyResult = z.looseObject({});

/** Roots of a client of a protocol up to 2025-11-25, which the server requests. */
export class RequestedRoots {
  readonly #server: AskableServer;
  readonly #useRoots: UseRoots;
  readonly #onError: (error: Error) => void;
  /** Resolves when the newest roots are in use. */
  #used = awaitedRoots();
  #state: "awaited" | "used" | "failed" = "awaited";
  #asking = new AbortController();
  #queue: Promise<void> = Promise.resolve();

  constructor(server: AskableServer, useRoots: UseRoots, onError: (error: Error) => void) {
    this.#server = server;
    this.#useRoots = useRoots;
    this.#onError = onError;
  }

  /** Delays calls until the newest announced roots are in use. */
  readonly before: Before = async (method) => {
    if (!this.#isSupported()) return undefined;
    if (this.#state === "failed") this.refresh();
    const used = async () => {
      // The client may announce other roots meanwhile.
      while (this.#state === "awaited") await this.#used.promise;
    };
    return whenUsed(method, used());
  };

  /** Requests the roots, after the handshake and after each change. An earlier request is cancelled. */
  readonly refresh = (): void => {
    if (!this.#isSupported()) return;
    this.#asking.abort(new Error("the roots have changed"));
    const asking = new AbortController();
    this.#asking = asking;
    if (this.#state !== "awaited") this.#used = awaitedRoots();
    this.#state = "awaited";
    void this.#ask(asking.signal).then((uris) => {
      this.#queue = this.#queue.then(() => this.#use(uris, asking.signal));
    });
  };

  #isSupported(): boolean {
    return this.#server.getClientCapabilities()?.roots !== undefined;
  }

  async #ask(signal: AbortSignal): Promise<readonly string[]> {
    try {
      const options = { signal, timeout: answerTimeoutMs };
      return urisOf(await this.#server.request({ method: "roots/list" }, anyResult, options));
    } catch (error) {
      if (!signal.aborted) this.#onError(new Error(`the client's roots cannot be read: ${String(error)}`));
      return [];
    }
  }

  async #use(uris: readonly string[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await this.#useRoots(uris);
      if (signal.aborted) return;
      this.#state = "used";
      this.#used.resolve();
    } catch (error) {
      if (signal.aborted) return;
      this.#state = "failed";
      this.#used.reject(error);
    }
  }
}

function awaitedRoots(): PromiseWithResolvers<void> {
  const used = Promise.withResolvers<void>();
  // Without a waiting call, the rejection would be unhandled.
  used.promise.catch(() => {});
  return used;
}

/** The name of the roots request to a client of protocol 2026-07-28, and its `requestState`. */
export const rootsRequestName = "roots";

interface ModernRequest {
  readonly envelope?: Readonly<Record<string, unknown>>;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  requestState(): string | undefined;
}

/**
 * Roots of a client of protocol 2026-07-28. Such a client may be asked only in the result of a call, so its first call is answered with a
 * roots request. The client repeats the call with the roots. The protocol has no notification of changes.
 */
export function rootsInCalls(useRoots: UseRoots): Before {
  let used: Promise<void> | undefined;
  return async (method, raw) => {
    if (used === undefined) {
      const { mcpReq } = raw as { readonly mcpReq: ModernRequest };
      const capabilities = mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
      if (isList(method) || !isObject(capabilities) || capabilities["roots"] === undefined) return undefined;
      const answer = mcpReq.inputResponses?.[rootsRequestName];
      if (answer === undefined && mcpReq.requestState() !== rootsRequestName) {
        return {
          resultType: "input_required",
          inputRequests: { [rootsRequestName]: { method: "roots/list" } },
          requestState: rootsRequestName,
        };
      }
      used = useRoots(urisOf(answer));
      // The next call brings the roots again.
      used.catch(() => (used = undefined));
    }
    return whenUsed(method, used);
  };
}

/** Waits for the roots. Resolves to an error result for a call when the roots are late or cannot be used. */
async function whenUsed(method: string, used: Promise<void>): Promise<object | undefined> {
  const ms = isList(method) ? maxListWaitMs : maxWaitMs;
  const onTimeout = () => {
    throw new ToolError(
      "unavailable",
      `the client's roots (roots/list) are not in use after ${ms / 1_000} s, and the server takes its workspace from them`,
      "Try again, or give the server its roots at its start.",
    );
  };
  try {
    await withTimeout(used, { ms, onTimeout });
    return undefined;
  } catch (error) {
    if (isList(method)) return undefined;
    if (!ToolError.is(error) || method !== "tools/call") throw error;
    return toCallToolResult({ ok: false, failure: error }, "text");
  }
}

function isList(method: string): boolean {
  return method.endsWith("/list");
}

/** The URIs of an answer to `roots/list`. */
function urisOf(answer: unknown): readonly string[] {
  const roots = isObject(answer) && Array.isArray(answer["roots"]) ? (answer["roots"] as readonly unknown[]) : [];
  return roots.map((root) => {
    const uri = isObject(root) ? root["uri"] : undefined;
    return typeof uri === "string" ? uri : JSON.stringify(root);
  });
}
