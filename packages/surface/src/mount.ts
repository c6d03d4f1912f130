import { createCallCount, newSessionId, toCallToolResult } from "@toolpacks/core";
import { createInteractiveCalls, type InteractiveCalls } from "./interactive-calls.ts";
import { completionHandlers, promptHandlers } from "./prompt-handlers.ts";
import {
  isSdk2,
  methodRegistrar,
  type Capabilities,
  type Handler,
  type Handlers,
  type MountableServer,
  type ProtocolServer,
} from "./protocol-server.ts";
import { resourceHandlers } from "./resource-handlers.ts";
import { answerInRounds } from "./request-rounds.ts";
import { createSurface, type Surface, type SurfaceOptions } from "./surface.ts";

export interface AttachOptions {
  /** Declares that the list may change, for a server that will call `update`. Default false. */
  readonly listChanged?: boolean;
  /** Awaited before each request is handled. An object that it resolves to is sent in place of the result. */
  readonly before?: (method: string, raw: unknown) => Promise<object | undefined> | undefined;
  /** A `requestState` that `before` has sent. A request with it counts as a first request. */
  readonly beforeState?: string;
  /** The calls that wait for answers of their users. Default: those of this process. Servers that are made for each request must share one object. */
  readonly interactiveCalls?: InteractiveCalls;
}

interface MethodOptions extends AttachOptions {
  /** The id of the session, if all requests belong to one. */
  readonly session?: string;
}

const callsOfThisProcess = createInteractiveCalls();

/** A surface that is attached to a server. */
export interface Mounted {
  /** How many requests are being handled, for a transport with backpressure. */
  pending(): number;
  /** Replaces the surface and notifies the client of changed lists. Resolves to whether the tool list has changed. */
  update(surface: Surface): Promise<boolean>;
}

/** The request handlers of a surface. They are made once, for any number of servers, such as one for each HTTP request. */
export interface SurfaceMethods {
  /** The capabilities that the servers declare. */
  readonly capabilities: Capabilities;
  /** Registers the handlers on a server that declares the capabilities. */
  register(server: ProtocolServer): void;
  pending(): number;
  /** Replaces the surface. Resolves to the lists that clients may have to read again. */
  replace(surface: Surface): Promise<ChangedLists>;
}

export interface ChangedLists {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
}

/** Creates a surface and attaches it: `await mount(server, { packs: [filesystem({ roots: ["."] })] })`. */
export async function mount(
  server: MountableServer,
  options: SurfaceOptions & AttachOptions,
): Promise<Mounted & { readonly surface: Surface }> {
  const surface = await createSurface(options);
  return { surface, ...attach(server, surface, options) };
}

/**
 * Attaches a surface to a server that is not yet connected. The surface owns the server's whole tool list. To add a pack
 * beside a server's own tools, use `registerWith`.
 *
 * @throws Error when the server has tools of its own.
 */
export function attach(server: MountableServer, surface: Surface, options: AttachOptions = {}): Mounted {
  refuseOwnTools(server);
  const target = "server" in server ? server.server : server;
  const methods = surfaceMethods(surface, { ...options, session: newSessionId() });
  const { logging, ...others } = methods.capabilities;
  // With the 1.x SDK no log messages are sent.
  target.registerCapabilities(isSdk2(target) ? { ...others, logging } : others);
  methods.register(target);
  return {
    pending: () => methods.pending(),
    async update(next) {
      const changed = await methods.replace(next);
      if (options.listChanged !== true) return changed.tools;
      if (changed.tools) await target.sendToolListChanged();
      if (changed.resources) await target.sendResourceListChanged();
      if (changed.prompts) await target.sendPromptListChanged();
      return changed.tools;
    },
  };
}

/** Creates the request handlers of a surface. */
export function surfaceMethods(
  surface: Surface,
  { listChanged = false, before, beforeState, interactiveCalls = callsOfThisProcess, session }: MethodOptions = {},
): SurfaceMethods {
  let current = surface;
  let shown: readonly unknown[] | undefined;
  const remotes = () => current.catalog.packs.flatMap(({ remote }) => remote ?? []);
  const own = () => current.catalog.packs.flatMap(({ resources }) => resources ?? []);
  const hasRemotes = remotes().length > 0;
  const hasResources = hasRemotes || own().length > 0;
  // A later surface may bring the first prompt.
  const hasPrompts = surface.hasPrompts || hasRemotes || listChanged;
  const inRounds = answerInRounds({ interactiveCalls, beforeState, session, rightsKey: () => current.rightsKey });
  const prompts = { inRounds, own: () => current.prompts(), callOf: () => current.callOf(), remotes };
  const handlers: Handlers = {
    "tools/list": async () => ({ tools: (shown = await current.listing()) }),
    "tools/call": ({ params: { name, arguments: args } }: CallRequest, raw) =>
      inRounds({ raw, name, args }, async (context) => {
        const { call, results } = current;
        return toCallToolResult(await call({ name, args, context }), results);
      }),
    ...(hasPrompts && promptHandlers(prompts)),
    ...(surface.hasCompletions && completionHandlers(prompts)),
    ...(hasResources && resourceHandlers({ inRounds, own, remotes })),
  };
  const requests = createCallCount();
  const counted = Object.entries(handlers).map(([method, handler]): [string, Handler] => [
    method,
    (request, raw) => requests.run(async () => (await before?.(method, raw)) ?? (await handler(request, raw))),
  ]);
  return {
    capabilities: {
      tools: { listChanged },
      ...(hasResources && { resources: { listChanged: hasRemotes && listChanged } }),
      ...(hasPrompts && { prompts: { listChanged } }),
      ...(surface.hasCompletions && { completions: {} }),
      logging: {},
    },
    register: methodRegistrar(counted, () => current.cacheScope),
    pending: () => requests.running(),
    async replace(next) {
      const before = JSON.stringify(shown ?? (await current.listing()));
      const tools = before !== JSON.stringify(await next.listing());
      // The lists of other servers and of stores are not compared: they may have changed at any time.
      const mayDiffer = hasRemotes || hasSource(current) || hasSource(next);
      const prompts = mayDiffer || JSON.stringify(await current.prompts()) !== JSON.stringify(await next.prompts());
      current = next;
      return { tools, prompts, resources: hasRemotes };
    },
  };
}

function hasSource({ catalog }: Surface): boolean {
  return catalog.packs.some(({ promptSource }) => promptSource !== undefined);
}

/** The fields of a `tools/call` request that are read here. */
interface CallRequest {
  readonly params: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  };
}

function refuseOwnTools(server: object): void {
  const own = "_registeredTools" in server ? Object.keys(server._registeredTools ?? {}) : [];
  if (own.length === 0) return;
  throw new Error(
    `the server has tools of its own (${own.slice(0, 3).join(", ")}…): make them a pack, or use registerWith`,
  );
}
