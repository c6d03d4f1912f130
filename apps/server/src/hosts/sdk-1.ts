import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { attach } from "@toolpacks/surface";
import { z } from "zod";
import { FastPath, type FastServer } from "./fast-path.ts";
import type { Host, HostOptions } from "./host.ts";

/** Serves clients of protocol versions up to 2025-11-25, for whoever must stay on this line. */
export async function serveSdk1({ surface, input, output, ...options }: HostOptions): Promise<Host> {
  const { listChanged, version, onError } = options;
  const server = new Server({ name: "toolpacks", version }, { instructions: surface.instructions });
  server.onerror = onError;
  const mounted = attach(server, surface, { listChanged });
  const elicit: FastServer["elicit"] = (params, limits) =>
    server.request({ method: "elicitation/create", params }, z.looseObject({}), limits);
  const serving = { call: mounted.call, elicit };
  const fastPath = new FastPath({ input, output, server: () => serving });
  await server.connect(new StdioServerTransport(fastPath.rest, output));
  return {
    async update(next) {
      await mounted.update(next);
    },
    async close() {
      fastPath.close();
      await server.close();
    },
  };
}
