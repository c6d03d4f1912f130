import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { CallToolResult, Pack } from "@toolpacks/core";
import type { ConnectOptions, PackConnection } from "./connection.ts";

/**
 * Registers the pack on an `McpServer` of `@modelcontextprotocol/server` 2.x, serves it like over stdio, and connects
 * the SDK's client.
 *
 * @param protocol `2025` opens with `initialize`; `2026-07-28` pins the client to that revision.
 */
export async function connectSdk2(
  protocol: "2025" | "2026-07-28",
  pack: Pack,
  options: ConnectOptions = {},
): Promise<PackConnection> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const served = serveStdio(
    async () => {
      const server = new McpServer({ name: "testkit", version: "1.0.0" });
      await pack.registerWith(server, options);
      return server;
    },
    { transport: serverSide },
  );
  const client = new Client(
    { name: "testkit", version: "1.0.0" },
    protocol === "2025" ? {} : { versionNegotiation: { mode: { pin: protocol } } },
  );
  await client.connect(clientSide);
  return {
    // A pack without tools registers none, and a server without tools does not answer tools/list.
    listTools: async () =>
      client.getServerCapabilities()?.tools === undefined ? [] : (await client.listTools()).tools,
    async callTool(name, args, { signal, onProgress } = {}) {
      const request = { name, arguments: { ...args } };
      return (await client.callTool(request, { signal, onprogress: onProgress })) as CallToolResult;
    },
    async close() {
      await client.close();
      await served.close();
    },
  };
}
