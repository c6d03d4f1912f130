import { requestContext, toCallToolResult, type CallToolResult } from "@toolpacks/core";
import { z } from "zod";
import { createAskedCalls, type Round } from "./asked-calls.ts";
import { remoteHandlers } from "./remote-handlers.ts";
import { createSurface, type Surface, type SurfaceOptions } from "./surface.ts";

/** A server of either SDK: an `McpServer`, or the low-level `Server` inside it. */
export type MountableServer = ProtocolServer | { readonly server: ProtocolServer };

/** What mounting needs of a low-level server: the shape that both SDKs share. */
export interface ProtocolServer {
  registerCapabilities(capabilities: Capabilities): void;
  // The SDKs take the method as a schema (1.x) or as its name (2.x).
  // oxlint-disable-next-line typescript/no-explicit-any
  setRequestHandler(method: any, handler: any): void;
  sendToolListChanged(): Promise<void>;
  sendResourceListChanged(): Promise<void>;
  sendPromptListChanged(): Promise<void>;
}

interface Capabilities {
  readonly tools?: { listChanged: boolean };
  readonly resources?: { listChanged: boolean };
  readonly prompts?: { listChanged: boolean };
}

export interface AttachOptions {
  /** Declares that the list may change, for a server that will call `update`. Default false. */
  readonly listChanged?: boolean;
}

/** A surface on a server. */
export interface Mounted {
  /** Puts another surface in place; tells the client when its list differs. Resolves to whether it does. */
  update(surface: Surface): Promise<boolean>;
}

/** How long a client may keep the list. Five minutes: it changes only with the server's configuration. */
const listTimeToLiveMs = 300_000;

/** Creates a surface and attaches it: `await mount(server, { packs: [filesystem({ roots: ["."] })] })`. */
export async function mount(
  server: MountableServer,
  options: SurfaceOptions & AttachOptions,
): Promise<Mounted & { readonly surface: Surface }> {
  const surface = await createSurface(options);
  return { surface, ...attach(server, surface, options) };
}

/**
 * Serves a surface from a server, before it connects. The surface owns the server's whole tool list; a pack beside a
 * server's own tools is what `registerWith` is for.
 *
 * @throws Error when the server has tools of its own.
 */
export function attach(
  server: MountableServer,
  surface: Surface,
  { listChanged = false }: AttachOptions = {},
): Mounted {
  refuseOwnTools(server);
  const target = "server" in server ? server.server : server;
  const modern = "projectCallToolResult" in target;
  const method = (name: string) => (modern ? name : requestSchema(name));
  let current = surface;
  let shown: readonly unknown[] | undefined;
  const asked = createAskedCalls<CallToolResult>();
  const hints = modern ? { ttlMs: listTimeToLiveMs, cacheScope: "public" } : {};
  target.registerCapabilities({ tools: { listChanged } });
  target.setRequestHandler(method("tools/list"), async () => {
    const tools = await current.listing();
    shown = tools;
    return { tools, ...hints };
  });
  target.setRequestHandler(method("tools/call"), async ({ params }: CallRequest, raw: unknown) => {
    const { name, arguments: args } = params;
    const call = async (with_: object = {}) => {
      const { outcome, results } = await current.call({ name, args, ...requestContext(raw), ...with_ });
      return toCallToolResult(outcome, results);
    };
    const round = roundOf(raw);
    return round === undefined ? call() : asked.run(round, call);
  });
  const hasRemotes = surface.catalog.packs.some(({ remote }) => remote !== undefined);
  if (hasRemotes) {
    target.registerCapabilities({ resources: { listChanged }, prompts: { listChanged } });
    for (const [name, handler] of Object.entries(remoteHandlers(() => current.catalog.packs))) {
      const isList = name.endsWith("/list");
      target.setRequestHandler(method(name), async (request: Parameters<typeof handler>[0], raw: unknown) => ({
        ...(await handler(request, raw)),
        ...(isList && hints),
      }));
    }
  }
  return {
    async update(next) {
      const before = JSON.stringify(shown ?? (await current.listing()));
      const changed = before !== JSON.stringify(await next.listing());
      current = next;
      if (changed && listChanged) await target.sendToolListChanged();
      if (hasRemotes && listChanged)
        await Promise.all([target.sendResourceListChanged(), target.sendPromptListChanged()]);
      return changed;
    },
  };
}

/** The round of a 2026 client that can ask its user. Others are asked by requests, or not at all. */
function roundOf(raw: unknown): Round | undefined {
  const { mcpReq } = raw as { mcpReq?: ModernRequest };
  const capabilities = mcpReq?.envelope?.["io.modelcontextprotocol/clientCapabilities"];
  if (mcpReq === undefined || capabilities?.elicitation === undefined) return undefined;
  return { state: mcpReq.requestState(), responses: mcpReq.inputResponses ?? {}, signal: mcpReq.signal };
}

interface ModernRequest {
  readonly signal: AbortSignal;
  readonly envelope?: Readonly<Record<string, { readonly elicitation?: object } | undefined>>;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  requestState(): string | undefined;
}

interface CallRequest {
  readonly params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> };
}

/** 1.x reads the method's name out of a request schema. */
function requestSchema(method: string): z.ZodObject {
  return z.object({ method: z.literal(method), params: z.looseObject({}).optional() });
}

function refuseOwnTools(server: object): void {
  const own = "_registeredTools" in server ? Object.keys(server._registeredTools ?? {}) : [];
  if (own.length === 0) return;
  throw new Error(
    `the server has tools of its own (${own.slice(0, 3).join(", ")}…): make them a pack, or use registerWith`,
  );
}
