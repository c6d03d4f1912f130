import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { RootsListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { attach } from "@toolpacks/surface";
import { boundedInput, transportOptions } from "./bounded-input.ts";
import { RequestedRoots } from "./client-roots.ts";
import type { Host, HostOptions } from "./host.ts";

/** Serves clients of protocol versions up to 2025-11-25, for hosts that depend on the 1.x line of the SDK. */
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
  const messages = boundedInput({ input, output, pending: () => mounted.pending(), onError });
  // This transport does not notice the end of its input.
  messages.once("close", () => void server.close());
  await server.connect(new StdioServerTransport(messages, output, transportOptions));
  return {
    async update(next) {
      await mounted.update(next);
    },
    close: () => server.close(),
  };
}
