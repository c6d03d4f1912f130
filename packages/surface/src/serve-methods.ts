import { z } from "zod";
import type { ProtocolServer } from "./protocol-server.ts";

/** What answers a request, by method. */
export type Handlers = Readonly<Record<string, (request: never, raw: unknown) => Promise<object>>>;

/** How long a client may keep a list. Five minutes: it changes only with the server's configuration. */
const listTimeToLiveMs = 300_000;

/** Answers methods on a server of either SDK; lists go out with cache hints where the SDK has them. */
export function serveMethods(target: ProtocolServer, handlers: Handlers): void {
  const modern = "projectCallToolResult" in target;
  const hints = modern ? { ttlMs: listTimeToLiveMs, cacheScope: "public" } : {};
  for (const [name, handler] of Object.entries(handlers)) {
    const hinted = async (request: never, raw: unknown) => ({ ...(await handler(request, raw)), ...hints });
    target.setRequestHandler(modern ? name : requestSchema(name), name.endsWith("/list") ? hinted : handler);
  }
}

/** 1.x reads the method's name out of a request schema. */
function requestSchema(method: string): z.ZodObject {
  return z.object({ method: z.literal(method), params: z.looseObject({}).optional() });
}
