import { isObject, ToolError, toCallToolResult } from "@toolpacks/core";
import { z } from "zod";

/** Takes the URIs of the roots that a client names. Resolves when the server uses them. */
export type OnRoots = (uris: readonly string[]) => Promise<void>;

/** The hook of `attach`: what it resolves to is answered in place of the request's result. */
type Before = (method: string, raw: unknown) => Promise<object | undefined>;

/** How long calls wait for the roots, in ms. */
const maxWaitMs = 10_000;
/** How long a list waits for the roots, in ms. It shows no records, so that it is then answered without them. */
const maxListWaitMs = 3_000;
/** A client may ask its user before it answers. The longest timeout that Node has, in ms. */
const answerTimeoutMs = 2_147_483_647;

/** The part of the servers of both SDKs that asks a client of a protocol up to 2025-11-25 for its roots. */
export interface AskableServer {
  getClientCapabilities(): { readonly roots?: unknown } | undefined;
  // The SDKs' schema types differ.
  // oxlint-disable-next-line typescript/no-explicit-any
  request(request: { method: "roots/list" }, schema: any, options: AskOptions): Promise<unknown>;
}

interface AskOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/** The SDKs' own schema refuses the whole answer for one root that is not a `file://` URI. */
const anyResult = z.looseObject({});

/** Roots of a client of a protocol up to 2025-11-25, which answers a request of the server. */
export class RequestedRoots {
  readonly #server: AskableServer;
  readonly #onRoots: OnRoots;
  readonly #onError: (error: Error) => void;
  /** Resolves when the newest roots are in use. */
  #used = Promise.withResolvers<void>();
  #state: "awaited" | "used" | "failed" = "awaited";
  #asking = new AbortController();
  #turn: Promise<void> = Promise.resolve();

  constructor(server: AskableServer, onRoots: OnRoots, onError: (error: Error) => void) {
    this.#server = server;
    this.#onRoots = onRoots;
    this.#onError = onError;
  }

  /** Lets calls run on the newest announced roots alone. */
  readonly before: Before = async (method) => {
    if (!this.#isSupported()) return undefined;
    if (this.#state === "failed") this.refresh();
    return whenUsed(method, async () => {
      // The client may announce other roots meanwhile.
      while (this.#state === "awaited") await this.#used.promise;
    });
  };

  /** Asks for the roots: after the handshake, and whenever they change. An earlier question is withdrawn. */
  readonly refresh = (): void => {
    if (!this.#isSupported()) return;
    this.#asking.abort(new Error("the roots have changed"));
    const asking = new AbortController();
    this.#asking = asking;
    if (this.#state !== "awaited") this.#used = Promise.withResolvers();
    // Without a call that waits nobody handles the error.
    this.#used.promise.catch(() => {});
    this.#state = "awaited";
    void this.#ask(asking.signal).then((uris) => {
      this.#turn = this.#turn.then(() => this.#use(uris, asking.signal));
    });
  };

  #isSupported(): boolean {
    return this.#server.getClientCapabilities()?.roots !== undefined;
  }

  async #ask(signal: AbortSignal): Promise<readonly string[]> {
    try {
      return urisOf(
        await this.#server.request({ method: "roots/list" }, anyResult, { signal, timeout: answerTimeoutMs }),
      );
    } catch (error) {
      if (!signal.aborted) this.#onError(new Error(`the client's roots cannot be read: ${String(error)}`));
      return [];
    }
  }

  async #use(uris: readonly string[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await this.#onRoots(uris);
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
export function rootsInCalls(onRoots: OnRoots): Before {
  let used: Promise<void> | undefined;
  return async (method, raw) => {
    if (used === undefined) {
      const { mcpReq } = raw as { readonly mcpReq: ModernRequest };
      const capabilities = mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
      if (isList(method) || !isObject(capabilities) || capabilities["roots"] === undefined) return undefined;
      const answer = mcpReq.inputResponses?.[question];
      if (answer === undefined && mcpReq.requestState() !== question) {
        return {
          resultType: "input_required",
          inputRequests: { [question]: { method: "roots/list" } },
          requestState: question,
        };
      }
      used = onRoots(urisOf(answer));
      // The next call brings the roots again.
      used.catch(() => (used = undefined));
    }
    const adopted = used;
    return whenUsed(method, () => adopted);
  };
}

/** Waits for the roots. Resolves to the refusal of a call for which they are too late, or cannot be used. */
async function whenUsed(method: string, used: () => Promise<void>): Promise<object | undefined> {
  try {
    await withTimeout(used(), isList(method) ? maxListWaitMs : maxWaitMs);
    return undefined;
  } catch (error) {
    if (isList(method)) return undefined;
    if (!ToolError.is(error) || method !== "tools/call") throw error;
    return toCallToolResult({ ok: false, failure: error }, "text");
  }
}

async function withTimeout(used: Promise<void>, maxMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `the client has not named its roots (roots/list) within ${maxMs / 1_000} s, and the server takes its workspace from them`;
    late.reject(new ToolError("unavailable", message, "Try again, or start the server with --root."));
  }, maxMs);
  try {
    await Promise.race([used, late.promise]);
  } finally {
    clearTimeout(timer);
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
