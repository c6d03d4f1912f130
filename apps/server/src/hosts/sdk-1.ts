import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { RootsListChangedNotificationSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { attach } from "@toolpacks/surface";
import { RequestedRoots } from "./client-roots.ts";
import type { Host, HostOptions } from "./host.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Serves clients of protocol versions up to 2025-11-25, with the 1.x SDK. */
export async function serveSdk1({ surface, input, output, ...options }: HostOptions): Promise<Host> {
  const { listChanged, version, onRoots, onError } = options;
  const server = new Server({ name: "toolpacks", version }, { instructions: surface.instructions });
  server.onerror = onError;
  const roots = onRoots && new RequestedRoots(server, onRoots, onError);
  const mounted = attach(server, surface, { listChanged, ...(roots && { before: roots.before }) });
  if (roots !== undefined) {
    server.oninitialized = roots.refresh;
    server.setNotificationHandler(RootsListChangedNotificationSchema, roots.refresh);
  }
  const pending = () => mounted.pending();
  await server.connect(new StdioTransport<JSONRPCMessage>({ input, output, pending }));
  return {
    async update(next) {
      await mounted.update(next);
    },
    close: () => server.close(),
  };
}
