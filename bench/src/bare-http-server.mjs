// A bare 2.x server over HTTP: low-level handlers on the SDK's own handler and adapter, a server per request, without a guard.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

const tools = ["noop", "first", "second", "third"].map((name) => ({
  name,
  description: "Does nothing.",
  inputSchema: { type: "object", properties: { name: { type: "string" }, args: { type: "object" } } },
}));

const handle = toNodeHandler(
  createMcpHandler(() => {
    const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", async () => ({ tools }));
    server.setRequestHandler("tools/call", async () => ({ content: [{ type: "text", text: '{"done":true}' }] }));
    return server;
  }),
);

const server = createServer((request, response) => void handle(request, response));
server.listen(Number(process.argv[2]), "127.0.0.1");
