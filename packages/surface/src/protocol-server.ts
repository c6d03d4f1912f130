import { z } from "zod";

/** A server of either SDK: an `McpServer`, or the low-level `Server` inside it. */
export type MountableServer = ProtocolServer | { readonly server: ProtocolServer };

/** The methods of a low-level server that mounting needs. Both SDKs have them. */
export interface ProtocolServer {
  registerCapabilities(capabilities: Omit<Capabilities, "logging"> & Partial<Capabilities>): void;
  // SDK 1.x takes the method as a request schema, SDK 2.x as a name.
  // oxlint-disable-next-line typescript/no-explicit-any
  setRequestHandler(method: any, handler: any): void;
  sendToolListChanged(): Promise<void>;
  sendResourceListChanged(): Promise<void>;
  sendPromptListChanged(): Promise<void>;
}

/** Whether the server is of the 2.x SDK. */
export function isSdk2(server: ProtocolServer): boolean {
  return "projectCallToolResult" in server;
}

/** The capabilities of a server with a surface. */
export interface Capabilities {
  readonly tools: ListCapability;
  readonly resources?: ListCapability;
  readonly prompts?: ListCapability;
  readonly completions?: Readonly<Record<string, never>>;
  /** Clients of the 2.x SDK's servers choose the level of the log messages that they get. */
  readonly logging: Readonly<Record<string, never>>;
}

interface ListCapability {
  readonly listChanged: boolean;
}

export type Handler = (request: never, raw: unknown) => Promise<object>;

/** Request handlers by method. */
export type Handlers = Readonly<Record<string, Handler>>;

/** How long a client may cache a list. */
const listTimeToLiveMs = 300_000;

/**
 * Returns a function that registers the handlers on a server of either SDK. SDK 2.x sends lists with cache hints.
 *
 * @param cacheScope what caches may do with the current lists
 */
export function methodRegistrar(
  handlers: readonly (readonly [method: string, handler: Handler])[],
  cacheScope: () => "public" | "private",
): (target: ProtocolServer) => void {
  const hints = () => ({ ttlMs: listTimeToLiveMs, cacheScope: cacheScope() });
  const methods = handlers.map(([name, handler]) => {
    const hinted: Handler = async (request, raw) => ({ ...(await handler(request, raw)), ...hints() });
    return { name, handler, modernHandler: name.endsWith("/list") ? hinted : handler };
  });
  return (target) => {
    const isModern = isSdk2(target);
    for (const { name, handler, modernHandler } of methods) {
      if (isModern) target.setRequestHandler(name, modernHandler);
      else target.setRequestHandler(requestSchema(name), handler);
    }
  };
}

/** SDK 1.x reads the name of the method from a request schema. */
function requestSchema(method: string): z.ZodObject {
  return z.object({ method: z.literal(method), params: z.looseObject({}).optional() });
}
