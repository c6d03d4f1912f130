import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler, type NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { createMcpHandler, Server, type AuthInfo, type ServerEventBus } from "@modelcontextprotocol/server";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { surfaceMethods, type InteractiveCalls } from "@toolpacks/surface";
import { accessKey } from "../../access/access-key.ts";
import type { Principal, ServedSurface } from "../host.ts";
import { delayNotifications, linkResponse } from "./notification-pressure.ts";

export interface SurfaceHandlerOptions {
  readonly version: string;
  readonly maxBodyBytes: number;
  /** Maximum streams of all callers. */
  readonly maxSubscriptions: number;
  readonly onError: (error: Error) => void;
  /** Creates the bus of a surface's change events. The same access has the same scope on every replica. Default: a bus of this process. */
  readonly openBus?: ((scope: string) => ServerEventBus) | undefined;
  /** Calls that wait for answers of their users. Default: those of this process. */
  readonly interactiveCalls?: InteractiveCalls | undefined;
}

/** A request with what the SDK passes to the handlers of tools. */
export type AuthenticatedRequest = IncomingMessage & { auth?: AuthInfo };

interface SurfaceHandler {
  handle(request: AuthenticatedRequest, response: ServerResponse, body: unknown): Promise<void>;
  close(): Promise<void>;
}

interface Cached {
  readonly handler: SurfaceHandler;
  running: number;
  usedAt: number;
}

/** Maximum surfaces whose handlers are kept while no request uses them. */
const maxIdleHandlers = 1_000;
/** Time after which an unused handler is dropped, in ms. */
const maxIdleMs = 600_000;

/** The SDK's handlers: one for each surface, made at its first request and dropped when it has not been used for a while. */
export class SurfaceHandlers {
  readonly #options: SurfaceHandlerOptions;
  /** Ordered by the time of the last use. */
  readonly #cached = new Map<ServedSurface, Cached>();

  constructor(options: SurfaceHandlerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#cached.size;
  }

  /** Answers a request. Resolves when the response has been written or its client has left. */
  async handle(served: ServedSurface, principal: Principal, exchange: Exchange): Promise<void> {
    const cached = this.#cached.get(served) ?? this.#create(served, principal);
    this.#cached.delete(served);
    this.#cached.set(served, cached);
    cached.usedAt = Date.now();
    cached.running += 1;
    try {
      await cached.handler.handle(exchange.request, exchange.response, exchange.body);
    } finally {
      cached.running -= 1;
    }
  }

  /** Ends subscriptions with a last message, and aborts what still runs. */
  async close(): Promise<void> {
    const all = [...this.#cached.values()];
    this.#cached.clear();
    await Promise.all(all.map(({ handler }) => handler.close()));
  }

  #create(served: ServedSurface, principal: Principal): Cached {
    this.#dropIdle();
    const cached = { handler: createHandler(served, principal, this.#options), running: 0, usedAt: Date.now() };
    this.#cached.set(served, cached);
    return cached;
  }

  #dropIdle(): void {
    const oldest = Date.now() - maxIdleMs;
    let excess = this.#cached.size - maxIdleHandlers;
    for (const [served, { handler, running, usedAt }] of this.#cached) {
      excess -= 1;
      if (usedAt > oldest && excess < 0) return;
      if (running > 0) continue;
      this.#cached.delete(served);
      void handler.close();
    }
  }
}

export interface Exchange {
  readonly request: AuthenticatedRequest;
  readonly response: ServerResponse;
  /** The parsed body. */
  readonly body: unknown;
}

// Shared, because the validators of a server only check the answers of users.
const jsonSchemaValidator = new CfWorkerJsonSchemaValidator();

function createHandler(served: ServedSurface, principal: Principal, options: SurfaceHandlerOptions): SurfaceHandler {
  const { version, maxBodyBytes, maxSubscriptions, onError, openBus, interactiveCalls } = options;
  const methods = surfaceMethods(served.current(), {
    listChanged: served.mayChange,
    before: delayNotifications,
    ...(interactiveCalls && { interactiveCalls }),
  });
  const info = { name: "toolpacks", version };
  const { capabilities } = methods;
  const bus = openBus?.(scopeOf(principal));
  const handler = createMcpHandler(
    () => {
      const { instructions } = served.current();
      const server = new Server(info, { capabilities, instructions, jsonSchemaValidator });
      methods.register(server);
      return server;
    },
    { maxSubscriptions, maxRequestBodySize: maxBodyBytes, onerror: onError, ...(bus && { bus }) },
  );
  const stop = served.watch(async (next) => {
    const changed = await methods.replace(next);
    if (changed.tools) handler.notify.toolsChanged();
    if (changed.resources) handler.notify.resourcesChanged();
    if (changed.prompts) handler.notify.promptsChanged();
  });
  return {
    handle(request, response, body) {
      const fetch: typeof handler.fetch = async (webRequest, requestOptions) => {
        linkResponse(webRequest, response);
        const answer = await handler.fetch(webRequest, requestOptions);
        // The SDK keeps the connections of streams. Node decides, because a client or a shutdown may close them.
        answer.headers.delete("connection");
        return answer;
      };
      return toNodeHandler({ fetch }, { onerror: onError })(request as NodeIncomingMessageLike, response, body);
    },
    close() {
      stop();
      return handler.close();
    },
  };
}

/** The same for all principals with the same access. */
function scopeOf({ access }: Principal): string {
  return createHash("sha256").update(accessKey(access)).digest("base64url");
}
