import { Client as ModernClient, InMemoryTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as FirstTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as FirstServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as ModernServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { attach, type Mounted } from "./mount.ts";
import type { Surface } from "./surface.ts";

export interface Connection {
  readonly client: ModernClient | FirstClient;
  readonly mounted: Mounted;
}

/** Every SDK and protocol era that a surface is served on. */
export const wires = {
  "sdk 1": connectFirst,
  "sdk 2, protocol 2025-11-25": (surface: Surface, listChanged?: boolean) => connectModern(surface, listChanged),
  "sdk 2, protocol 2026-07-28": (surface: Surface, listChanged?: boolean) =>
    connectModern(surface, listChanged, "2026-07-28"),
} as const;

async function connectFirst(surface: Surface, listChanged = false): Promise<Connection> {
  const server = new FirstServer({ name: "test", version: "1.0.0" }, { instructions: surface.instructions });
  const mounted = attach(server, surface, { listChanged });
  const [clientSide, serverSide] = FirstTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new FirstClient({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  return { client, mounted };
}

async function connectModern(surface: Surface, listChanged = false, pin?: string): Promise<Connection> {
  const [clientSide, serverSide] = ModernTransport.createLinkedPair();
  let mounted: Mounted | undefined;
  serveStdio(
    () => {
      const server = new ModernServer({ name: "test", version: "1.0.0" }, { instructions: surface.instructions });
      mounted = attach(server, surface, { listChanged });
      return server;
    },
    { transport: serverSide },
  );
  const client = new ModernClient(
    { name: "test", version: "1.0.0" },
    pin === undefined ? {} : { versionNegotiation: { mode: { pin } } },
  );
  await client.connect(clientSide);
  if (mounted === undefined) throw new Error("the server was not asked for");
  return { client, mounted };
}
