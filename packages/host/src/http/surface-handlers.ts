import { createHash } from "node:crypto";
import { createMcpHandler, Server, type ServerEventBus } from "@modelcontextprotocol/server";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { surfaceMethods, type InteractiveCalls } from "@toolpacks/surface";
import type { ServedSurface, SurfaceUser } from "../served-surface.ts";
import { delayNotifications } from "./notification-pressure.ts";
import { answerExchange, type Exchange } from "./web-exchange.ts";

export interface SurfaceHandlerOptions {
  readonly version: string;
  readonly maxBodyBytes: number;
  /** Maximum streams of all callers. */
  readonly maxSubscriptions: number;
  readonly onError: (error: Error) => void;
  /** Creates the bus of a surface's change events. The same surface has the same scope on every replica. Default: a bus of this process. */
  readonly openBus?: ((scope: string) => ServerEventBus) | undefined;
  /** Calls that wait for answers of their users. Default: those of this process. */
  readonly interactiveCalls?: InteractiveCalls | undefined;
}

interface SurfaceHandler {
  handle(exchange: Exchange): Promise<void>;
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
  async handle(served: ServedSurface, exchange: Exchange): Promise<void> {
    const cached = this.#cached.get(served) ?? this.#create(served);
    this.#cached.delete(served);
    this.#cached.set(served, cached);
    cached.usedAt = Date.now();
    cached.running += 1;
    try {
      await cached.handler.handle(exchange);
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

  #create(served: ServedSurface): Cached {
    this.#dropIdle();
    const user = {
      isActive: () => cached.running > 0,
      onDrop: () => void (cached.running === 0 && this.#drop(served, cached)),
    };
    const cached: Cached = { handler: createHandler(served, user, this.#options), running: 0, usedAt: Date.now() };
    this.#cached.set(served, cached);
    return cached;
  }

  #drop(served: ServedSurface, { handler }: Cached): void {
    this.#cached.delete(served);
    void handler.close();
  }

  #dropIdle(): void {
    const oldest = Date.now() - maxIdleMs;
    let excess = this.#cached.size - maxIdleHandlers;
    for (const [served, cached] of this.#cached) {
      excess -= 1;
      if (cached.usedAt > oldest && excess < 0) return;
      if (cached.running === 0) this.#drop(served, cached);
    }
  }
}

// Shared, because the validators of a server only check the answers of users.
const jsonSchemaValidator = new CfWorkerJsonSchemaValidator();

function createHandler(served: ServedSurface, user: SurfaceUser, options: SurfaceHandlerOptions): SurfaceHandler {
  const { version, maxBodyBytes, maxSubscriptions, onError, openBus, interactiveCalls } = options;
  const methods = surfaceMethods(served.current(), {
    listChanged: served.mayChange,
    before: delayNotifications,
    ...(interactiveCalls && { interactiveCalls }),
  });
  const info = { name: "toolpacks", version };
  const { capabilities } = methods;
  const bus = openBus?.(scopeOf(served));
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
  }, user);
  return {
    handle: (exchange) => answerExchange(handler, exchange),
    close() {
      stop();
      return handler.close();
    },
  };
}

/** Hashed, because a scope has names of the settings and of principals. */
function scopeOf({ scope = "" }: ServedSurface): string {
  return createHash("sha256").update(scope).digest("base64url");
}
