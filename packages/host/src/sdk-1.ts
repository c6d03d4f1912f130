import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { RootsListChangedNotificationSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { attach } from "@toolpacks/surface";
import { RequestedRoots } from "./client-roots.ts";
import type { ServedSurface } from "./served-surface.ts";
import { StdioTransport, type StdioServerOptions } from "./stdio-transport.ts";

/** Serves clients of protocol versions up to 2025-11-25, with the 1.x SDK. Resolves to a function that closes the connection. */
export async function serveSdk1(served: ServedSurface, options: StdioServerOptions): Promise<() => Promise<void>> {
  const { input, output, info, onError } = options;
  const { mayChange = false, useRoots } = served;
  const surface = served.current;
  const server = new Server(info, { instructions: surface.instructions });
  server.onerror = onError;
  const roots = useRoots && new RequestedRoots(server, useRoots, onError);
  const mounted = attach(server, surface, { listChanged: mayChange, ...(roots && { before: roots.before }) });
  const stopUsing = served.use?.();
  const stopWatching = served.watch?.({ replace: (next) => mounted.update(next) });
  server.onclose = () => {
    stopUsing?.();
    stopWatching?.();
  };
  if (roots !== undefined) {
    server.oninitialized = roots.refresh;
    server.setNotificationHandler(RootsListChangedNotificationSchema, roots.refresh);
  }
  const pending = () => mounted.pending();
  await server.connect(new StdioTransport<JSONRPCMessage>({ input, output, pending }));
  return () => server.close();
}
