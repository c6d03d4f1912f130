import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import type { ListedTool, Tool } from "@toolpacks/core";
import type { z } from "zod";

/** The tool list of the 2.x SDK for the same zod schemas, requested from a real server. Tools without zod are left out. */
export async function listWithSdk(tools: readonly Tool[]): Promise<ReadonlyMap<string, ListedTool>> {
  const server = new McpServer({ name: "listing", version: "1.0.0" });
  const withZod = tools.filter((tool) => tool.input.zod !== undefined);
  if (withZod.length === 0) return new Map();
  for (const { name, description, input } of withZod) {
    if (input.zod === undefined) continue;
    server.registerTool(name, { description, inputSchema: input.zod as unknown as z.ZodObject }, async () => ({
      content: [],
    }));
  }
  const [client, transport] = InMemoryTransport.createLinkedPair();
  const answer = new Promise<readonly ListedTool[]>((resolve) => {
    client.onmessage = (message) => {
      if (!("id" in message) || !("result" in message)) return;
      if (message.id === 1) void client.send({ jsonrpc: "2.0", id: 2, method: "tools/list" });
      if (message.id === 2) resolve((message.result as unknown as { tools: ListedTool[] }).tools);
    };
  });
  await server.connect(transport);
  await client.start();
  const clientInfo = { name: "listing", version: "1.0.0" };
  await client.send({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  const listed = await answer;
  await server.close();
  return new Map(
    listed.map(({ name, description, inputSchema }) => [name, { name, description, inputSchema } as ListedTool]),
  );
}
