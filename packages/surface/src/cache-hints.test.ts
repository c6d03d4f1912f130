import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { expect, test } from "vitest";
import { attach } from "./mount.ts";
import { createSurface } from "./surface.ts";

test.each([
  ["public", {}],
  ["private", { grants: [{ facets: ["notes"] }] }],
] as const)(
  "attach sends a list with %s cache hints to a client of protocol 2026-07-28",
  async (cacheScope, rights) => {
    const surface = await createSurface({ packs: [], rights });
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    // The client keeps the hints to itself, so they are read off the wire.
    const sent: unknown[] = [];
    const send = serverSide.send.bind(serverSide);
    serverSide.send = (message, options) => {
      sent.push(message);
      return send(message, options);
    };
    serveStdio(
      () => {
        const server = new McpServer({ name: "test", version: "1.0.0" });
        attach(server, surface);
        return server;
      },
      { transport: serverSide },
    );
    const client = new Client(
      { name: "test", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(clientSide);
    await client.listTools();
    expect(sent.at(-1)).toMatchObject({ result: { ttlMs: 300_000, cacheScope } });
    await client.close();
  },
);
