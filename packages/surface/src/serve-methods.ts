import { z } from "zod";
import { isSdk2, type ProtocolServer } from "./protocol-server.ts";

/** Request handlers by method. */
export type Handlers = Readonly<Record<string, (request: never, raw: unknown) => Promise<object>>>;

/** How long a client may cache a list. */
const listTimeToLiveMs = 300_000;

/**
 * Registers handlers on a server of either SDK. SDK 2.x sends lists with cache hints.
 *
 * @param cacheScope what caches may do with the current lists
 */
export function serveMethods(target: ProtocolServer, handlers: Handlers, cacheScope: () => "public" | "private"): void {
  const modern = isSdk2(target);
  const hints = () => (modern ? { ttlMs: listTimeToLiveMs, cacheScope: cacheScope() } : {});
  for (const [name, handler] of Object.entries(handlers)) {
    const hinted = async (request: never, raw: unknown) => ({ ...(await handler(request, raw)), ...hints() });
    target.setRequestHandler(modern ? name : requestSchema(name), name.endsWith("/list") ? hinted : handler);
  }
}

/** SDK 1.x reads the name of the method from a request schema. */
function requestSchema(method: string): z.ZodObject {
  return z.object({ method: z.literal(method), params: z.looseObject({}).optional() });
}
