import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { attach } from "@toolpacks/surface";
import type { Host, HostOptions } from "./host.ts";

/** Serves clients of protocol versions up to 2025-11-25, for whoever must stay on this line. */
export async function serveSdk1({ surface, listChanged, version, output, onError }: HostOptions): Promise<Host> {
  const server = new Server({ name: "toolpacks", version }, { instructions: surface.instructions });
  server.onerror = onError;
  const mounted = attach(server, surface, { listChanged });
  await server.connect(new StdioServerTransport(process.stdin, output));
  return {
    async update(next) {
      await mounted.update(next);
    },
    close: () => server.close(),
  };
}
