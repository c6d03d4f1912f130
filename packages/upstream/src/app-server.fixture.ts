import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { inMemory, inMemoryServer, type InMemory } from "./in-memory.fixture.ts";

const uri = "ui://weather/view.html";
const mimeType = "text/html;profile=mcp-app";
const toolMeta = { ui: { resourceUri: uri, visibility: ["model", "app"] }, "ui/resourceUri": uri };
const csp = { ui: { csp: { connectDomains: ["https://api.example"] }, prefersBorder: true } };
const annotations = { readOnlyHint: true };

/**
 * A server in this process with an MCP App: a tool whose result is shown by an interface.
 *
 * @param name what its results and interface say
 */
export function appServer(name: string, protocol: "legacy" | "modern"): Pick<InMemory, "open"> {
  const contents = [{ uri, mimeType, text: `<p>${name}</p>`, _meta: csp }];
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
  const description = "Show the weather.";
  if (protocol === "modern") {
    return inMemoryServer(() => {
      const server = new McpServer({ name, version: "1" });
      const config = { description, annotations, inputSchema: z.object({}), _meta: toolMeta };
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
      tools: [{ name: "show", description, annotations, inputSchema: { type: "object" }, _meta: toolMeta }],
    },
    "tools/call": result,
    "resources/list": { resources: [{ uri, name: "view", mimeType, _meta: csp }] },
    "resources/read": { contents },
  };
  return inMemory(({ send }) => ({ id, method = "" }) => {
    if (id === undefined) return;
    const answer = answers[method];
    send(answer === undefined ? { id, error: { code: -32_601, message: "no such method" } } : { id, result: answer });
  });
}
