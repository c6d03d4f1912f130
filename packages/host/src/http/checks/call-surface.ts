import { createHash } from "node:crypto";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { ConfigurationError, type PackLog } from "@toolpacks/core";
import { surfaceMethods, type InteractiveCalls } from "@toolpacks/surface";
import type { ServedSurface, SurfaceFor } from "../../served-surface.ts";
import { ClientGone, type HttpCheck, type HttpRequest } from "../http-check.ts";
import type { HttpHostOptions } from "../http-host-options.ts";
import { delayNotifications } from "../notification-pressure.ts";
import { RequestRefusal } from "../refusal.ts";
import { answerExchange, type Exchange } from "../web-exchange.ts";

interface CallOptions extends Pick<HttpHostOptions, "info" | "openBus"> {
  readonly surfaceFor: SurfaceFor;
  readonly log: PackLog;
  readonly maxBodyBytes: number;
  /** Maximum streams of all callers. */
  readonly maxSubscriptions: number;
  readonly interactiveCalls: InteractiveCalls;
}

type SurfaceHandler = ReturnType<typeof createHandler>;

/** Answers requests with the surfaces of their callers, each with a handler of the SDK that is made at the first request. */
export class SurfaceCalls {
  readonly #options: CallOptions;
  readonly #handlers = new Map<ServedSurface, SurfaceHandler>();

  constructor(options: CallOptions) {
    this.#options = options;
  }

  get handlerCount(): number {
    return this.#handlers.size;
  }

  /** Resolves when the response has been written or its client has left. */
  readonly answer: HttpCheck = async ({ request, response, body, caller }) => {
    const served = await this.#surfaceOf(caller);
    const stopUsing = served.use?.();
    try {
      if (response.destroyed) throw new ClientGone("the client closed the connection");
      await this.#handlerOf(served).handle({ request, response, body, auth: caller.auth });
    } finally {
      stopUsing?.();
    }
  };

  /** Ends streams with a last message, and aborts what still runs. */
  async close(): Promise<void> {
    const all = [...this.#handlers.values()];
    this.#handlers.clear();
    await Promise.all(all.map((handler) => handler.close()));
  }

  async #surfaceOf({ principal }: HttpRequest["caller"]): Promise<ServedSurface> {
    const { surfaceFor, log } = this.#options;
    try {
      return await surfaceFor(principal);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      log.warn(`the access of ${principal.id} cannot be used: ${error.message}`);
      const message = "the access of this token cannot be used now; the log of the server has the reason";
      throw new RequestRefusal({ status: 403, rule: "access", message });
    }
  }

  #handlerOf(served: ServedSurface): SurfaceHandler {
    const known = this.#handlers.get(served);
    if (known !== undefined) return known;
    const drop = () => {
      this.#handlers.delete(served);
      void handler.close();
    };
    const handler = createHandler(served, drop, this.#options);
    this.#handlers.set(served, handler);
    return handler;
  }
}

// Shared, because the validators of a server only check the answers of users.
const jsonSchemaValidator = new CfWorkerJsonSchemaValidator();

function createHandler(served: ServedSurface, drop: () => void, options: CallOptions) {
  const { info, maxBodyBytes, maxSubscriptions, log, openBus, interactiveCalls } = options;
  const methods = surfaceMethods(served.current, {
    listChanged: served.mayChange ?? false,
    before: delayNotifications,
    interactiveCalls,
  });
  const { capabilities } = methods;
  const bus = openBus?.(scopeOf(served));
  const handler = createMcpHandler(
    () => {
      const { instructions } = served.current;
      const server = new Server(info, { capabilities, instructions, jsonSchemaValidator });
      methods.register(server);
      return server;
    },
    {
      maxSubscriptions,
      maxRequestBodySize: maxBodyBytes,
      onerror: (error: Error) => log.debug(`http: ${error.message.slice(0, 500)}`),
      ...(bus && { bus }),
    },
  );
  const stop = served.watch?.({
    async replace(next) {
      const changed = await methods.replace(next);
      if (changed.tools) handler.notify.toolsChanged();
      if (changed.resources) handler.notify.resourcesChanged();
      if (changed.prompts) handler.notify.promptsChanged();
    },
    drop,
  });
  return {
    handle: (exchange: Exchange) => answerExchange(handler, exchange),
    close() {
      stop?.();
      return handler.close();
    },
  };
}

/** Hashed, because a scope has names of the settings and of principals. */
function scopeOf({ scope = "" }: ServedSurface): string {
  return createHash("sha256").update(scope).digest("base64url");
}
