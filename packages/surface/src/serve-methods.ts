import { z } from "zod";
import { isSdk2, type ProtocolServer } from "./protocol-server.ts";

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
