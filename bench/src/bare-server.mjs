// The least an SDK server can be, with as many tools as the discovery list has: what Toolpacks is measured against.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const names = ["noop", "first", "second", "third"];
const input = z.object({
  name: z.string().optional().describe("a name"),
  args: z.record(z.string(), z.unknown()).optional(),
});

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  for (const name of names) {
    server.registerTool(name, { description: "Does nothing.", inputSchema: input }, async () => ({
      content: [{ type: "text", text: '{"done":true}' }],
    }));
  }
  return server;
});
