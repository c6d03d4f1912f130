import { principalOf, requestContext, ToolError, toCallToolResult, type DispatchRequest } from "@toolpacks/core";
import { createInteractiveCalls, type InteractiveCalls, type Round } from "./interactive-calls.ts";
import { promptHandlers } from "./prompt-handlers.ts";
import { protocolAnswer } from "./protocol-answer.ts";
import type { MountableServer } from "./protocol-server.ts";
import { resourceHandlers } from "./resource-handlers.ts";
import { callIdentity, type RoundResponse } from "./question-exchange.ts";
import { serveMethods, type Handlers } from "./serve-methods.ts";
import { createSurface, type Surface, type SurfaceOptions } from "./surface.ts";

export interface AttachOptions {
  /** Declares that the list may change, for a server that will call `update`. Default false. */
  readonly listChanged?: boolean;
  /** Awaited before each request is handled. An object that it resolves to is sent in place of the result. */
  readonly before?: (method: string, raw: unknown) => Promise<object | undefined> | undefined;
  /** A `requestState` of `before`. A call with it asks nothing yet: it is a first request. */
  readonly beforeState?: string;
  /** The calls that wait for an answer of their users. Default: those of this process. A server per request needs the same for each. */
  readonly interactiveCalls?: InteractiveCalls;
}

const callsOfThisProcess = createInteractiveCalls();

/** A surface that is attached to a server. */
export interface Mounted {
  /** How many requests are being handled, for a transport with backpressure. */
  pending(): number;
  /** Replaces the surface and notifies the client of changed lists. Resolves to whether the tool list has changed. */
  update(surface: Surface): Promise<boolean>;
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
export function attach(
  server: MountableServer,
  surface: Surface,
  { listChanged = false, before, beforeState, interactiveCalls = callsOfThisProcess }: AttachOptions = {},
): Mounted {
  refuseOwnTools(server);
  const target = "server" in server ? server.server : server;
  let current = surface;
  let shown: readonly unknown[] | undefined;
  const remotes = () => current.catalog.packs.flatMap(({ remote }) => remote ?? []);
  const own = () => current.catalog.packs.flatMap(({ resources }) => resources ?? []);
  const hasRemotes = remotes().length > 0;
  const hasResources = hasRemotes || own().length > 0;
  // A later surface may bring the first prompt.
  const hasPrompts = surface.hasPrompts || hasRemotes || listChanged;
  target.registerCapabilities({
    tools: { listChanged },
    ...(hasResources && { resources: { listChanged: hasRemotes && listChanged } }),
    ...(hasPrompts && { prompts: { listChanged } }),
  });
  const { handlers, pending } = counted(
    {
      "tools/list": async () => ({ tools: (shown = await current.listing()) }),
      "tools/call": callHandler(() => current, { interactiveCalls, beforeState }),
      ...(hasPrompts && promptHandlers({ own: () => current.prompts(), callOf: () => current.callOf(), remotes })),
      ...(hasResources && resourceHandlers({ own, remotes })),
    },
    before,
  );
  serveMethods(target, handlers, () => current.cacheScope);
  return {
    pending,
    async update(next) {
      const before = JSON.stringify(shown ?? (await current.listing()));
      const changed = before !== JSON.stringify(await next.listing());
      const promptsBefore = JSON.stringify(await current.prompts());
      const promptsChanged = promptsBefore !== JSON.stringify(await next.prompts());
      current = next;
      if (!listChanged) return changed;
      if (changed) await target.sendToolListChanged();
      // The lists of other servers are not compared: they may have changed at any time.
      if (hasRemotes) await target.sendResourceListChanged();
      if (hasRemotes || promptsChanged) await target.sendPromptListChanged();
      return changed;
    },
  };
}

/** The fields of a `tools/call` request that are read here. */
interface CallRequest {
  readonly params: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
    readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  };
}

/** Answers a `tools/call`. `raw` is the second argument that the SDK passes to a request handler. */
type CallHandler = (request: CallRequest, raw: unknown) => Promise<object>;

/** Creates the handler of `tools/call`. It reads the current surface at each call. */
function callHandler(
  surface: () => Surface,
  { interactiveCalls, beforeState }: { interactiveCalls: InteractiveCalls; beforeState: string | undefined },
): CallHandler {
  const answer = async (request: DispatchRequest) => {
    const { call, results } = surface();
    return toCallToolResult(await call(request), results);
  };
  return ({ params }, raw) => {
    const context = requestContext(raw);
    const request = { name: params.name, args: params.arguments, context };
    const { mcpReq } = raw as { mcpReq?: ModernRequest };
    const state = mcpReq?.requestState?.();
    const isFirst = state === undefined || state === beforeState;
    if (mcpReq === undefined || (isFirst && !canAskUser(mcpReq))) return answer(request);
    const round = {
      state: isFirst ? undefined : state,
      responses: mcpReq.inputResponses ?? {},
      signal: mcpReq.signal,
      call: callIdentity(principalOf(context.auth), params.name, params.arguments),
    };
    if (!isFirst) return resume(interactiveCalls, round);
    return interactiveCalls.begin(round, (asking) => answer({ ...request, context: { ...context, ...asking } }));
  };
}

/** Continues a call. A refused request gets a protocol error, because it was no call. */
function resume(calls: InteractiveCalls, round: Round): Promise<object> {
  return protocolAnswer(async (): Promise<RoundResponse> => {
    try {
      return await calls.resume(round);
    } catch (error) {
      if (!ToolError.is(error) || error.code === "invalid_input") throw error;
      return toCallToolResult({ ok: false, failure: error }, "text");
    }
  });
}

/** Whether a request is of a 2026 client that can ask its user. */
function canAskUser({ envelope }: ModernRequest): boolean {
  return envelope?.["io.modelcontextprotocol/clientCapabilities"]?.elicitation !== undefined;
}

interface ModernRequest {
  readonly signal: AbortSignal;
  readonly envelope?: Readonly<Record<string, { readonly elicitation?: object } | undefined>>;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  requestState?(): string | undefined;
}

/** Wraps handlers so that they count the requests in progress. */
function counted(
  handlers: Handlers,
  before: AttachOptions["before"],
): { readonly handlers: Handlers; readonly pending: () => number } {
  let pending = 0;
  const entries = Object.entries(handlers).map(([method, handler]) => {
    const counting: typeof handler = async (request, raw) => {
      pending += 1;
      try {
        return (await before?.(method, raw)) ?? (await handler(request, raw));
      } finally {
        pending -= 1;
      }
    };
    return [method, counting] as const;
  });
  return { handlers: Object.fromEntries(entries), pending: () => pending };
}

function refuseOwnTools(server: object): void {
  const own = "_registeredTools" in server ? Object.keys(server._registeredTools ?? {}) : [];
  if (own.length === 0) return;
  throw new Error(
    `the server has tools of its own (${own.slice(0, 3).join(", ")}…): make them a pack, or use registerWith`,
  );
}
