import { requestContext, toCallToolResult, type Prompt } from "@toolpacks/core";
import { z } from "zod";
import { createSurface, type Surface, type SurfaceOptions } from "./surface.ts";

/** A server of either SDK: an `McpServer`, or the low-level `Server` inside it. */
export type MountableServer = ProtocolServer | { readonly server: ProtocolServer };

/** What mounting needs of a low-level server: the shape that both SDKs share. */
export interface ProtocolServer {
  registerCapabilities(capabilities: { tools: ListCapability; prompts?: ListCapability }): void;
  // The SDKs take the method as a schema (1.x) or as its name (2.x).
  // oxlint-disable-next-line typescript/no-explicit-any
  setRequestHandler(method: any, handler: any): void;
  sendToolListChanged(): Promise<void>;
  sendPromptListChanged(): Promise<void>;
}

interface ListCapability {
  readonly listChanged: boolean;
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
  // A list that may change may come to have its first prompt.
  const hasPrompts = surface.hasPrompts || listChanged;
  target.registerCapabilities({ tools: { listChanged }, ...(hasPrompts && { prompts: { listChanged } }) });
  target.setRequestHandler(method("tools/list"), async () => {
    const tools = await current.listing();
    return modern ? { tools, ttlMs: listTimeToLiveMs, cacheScope: "public" } : { tools };
  });
  target.setRequestHandler(method("tools/call"), async (request: CallRequest, raw: unknown) => {
    const { name, arguments: args } = request.params;
    const { outcome, results } = await current.call({ name, args, ...requestContext(raw) });
    return toCallToolResult(outcome, results);
  });
  if (hasPrompts) servePrompts(target, { method, modern, prompts: () => current.prompts() });
  return {
    async update(next) {
      const before = JSON.stringify(await current.listing());
      const changed = before !== JSON.stringify(await next.listing());
      const promptsBefore = JSON.stringify(await current.prompts());
      const promptsChanged = promptsBefore !== JSON.stringify(await next.prompts());
      current = next;
      if (changed && listChanged) await target.sendToolListChanged();
      if (promptsChanged && listChanged) await target.sendPromptListChanged();
      return changed;
    },
  };
}

interface PromptServing {
  readonly method: (name: string) => unknown;
  readonly modern: boolean;
  readonly prompts: () => Promise<readonly Prompt[]>;
}

function servePrompts(target: ProtocolServer, { method, modern, prompts }: PromptServing): void {
  target.setRequestHandler(method("prompts/list"), async () => {
    const listed = (await prompts()).map(({ name, description, arguments: args }) => ({
      name,
      description,
      ...(args.length > 0 && { arguments: args }),
    }));
    return modern ? { prompts: listed, ttlMs: listTimeToLiveMs, cacheScope: "public" } : { prompts: listed };
  });
  target.setRequestHandler(method("prompts/get"), async ({ params }: PromptRequest) => {
    const prompt = (await prompts()).find(({ name }) => name === params.name);
    if (prompt === undefined) throw new Error(`there is no prompt ${JSON.stringify(params.name.slice(0, 64))}`);
    const text = prompt.text(params.arguments ?? {});
    return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
  });
}

interface PromptRequest {
  readonly params: { readonly name: string; readonly arguments?: Readonly<Record<string, string>> };
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
