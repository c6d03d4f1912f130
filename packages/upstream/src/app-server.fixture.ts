// A server with an MCP App: a tool whose result is shown by an interface. Arguments: the protocol ("legacy" or "modern"), and its name, which its results
// and interface say.
import { createInterface } from "node:readline";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [protocol, name = "app"] = process.argv.slice(2);
const uri = "ui://weather/view.html";
const mimeType = "text/html;profile=mcp-app";
const toolMeta = { ui: { resourceUri: uri, visibility: ["model", "app"] }, "ui/resourceUri": uri };
const csp = { ui: { csp: { connectDomains: ["https://api.example"] }, prefersBorder: true } };
const contents = [{ uri, mimeType, text: `<p>${name}</p>`, _meta: csp }];
const annotations = { readOnlyHint: true };
const result = {
  content: [{ type: "text" as const, text: `${name} says sun`, _meta: { "example/of": name } }],
  structuredContent: { weather: "sun" },
  _meta: {
    ui: { resourceUri: uri },
    "example/data": { days: [1, 2] },
    progressToken: 7,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "io.modelcontextprotocol/related-task": { taskId: "1" },
    "toolpacks/error": { code: "denied" },
  },
};

function serveModern(): void {
  serveStdio(() => {
    const server = new McpServer({ name, version: "1" });
    const config = { description: "Show the weather.", annotations, inputSchema: z.object({}), _meta: toolMeta };
    server.registerTool("show", config, async () => result);
    server.registerResource("view", uri, { mimeType, _meta: csp }, async () => ({ contents }));
    return server;
  });
}

const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name, version: "1" },
  },
  "tools/list": {
    tools: [
      { name: "show", description: "Show the weather.", annotations, inputSchema: { type: "object" }, _meta: toolMeta },
    ],
  },
  "tools/call": result,
  "resources/list": { resources: [{ uri, name: "view", mimeType, _meta: csp }] },
  "resources/read": { contents },
};

function serveLegacy(): void {
  const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line) as { id?: number; method: string };
    if (id === undefined) return;
    const answer = answers[method];
    send(answer === undefined ? { id, error: { code: -32_601, message: "no such method" } } : { id, result: answer });
  });
}

if (protocol === "legacy") serveLegacy();
else serveModern();
