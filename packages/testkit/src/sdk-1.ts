import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult, Pack } from "@toolpacks/core";
import type { ConnectOptions, PackConnection } from "./connection.ts";

/** Registers the pack on an `McpServer` of `@modelcontextprotocol/sdk` 1.x and connects the SDK's client. */
export async function connectSdk1(pack: Pack, options: ConnectOptions = {}): Promise<PackConnection> {
  const server = new McpServer({ name: "testkit", version: "1.0.0" });
  await pack.registerWith(server, options);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: "testkit", version: "1.0.0" });
  await client.connect(clientSide);
  return {
    // A pack without tools registers none, and a server without tools does not answer tools/list.
    listTools: async () =>
      client.getServerCapabilities()?.tools === undefined ? [] : (await client.listTools()).tools,
    async callTool(name, args, { signal, onProgress } = {}) {
      const request = { name, arguments: { ...args } };
      return (await client.callTool(request, undefined, { signal, onprogress: onProgress })) as CallToolResult;
    },
    async close() {
      await client.close();
      await server.close();
    },
  };
}
