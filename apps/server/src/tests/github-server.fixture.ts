// A server with two tools of GitHub's that read, over stdio. Its argument is a JSON file with the answers by number.
import { readFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const answers = () => JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Readonly<Record<string, unknown>>;

const server = new McpServer({ name: "github", version: "1.0.0" });
const place = { method: z.string(), owner: z.literal("acme"), repo: z.literal("shop") };

function answer(id: string) {
  const found = answers()[id];
  if (found === undefined) return { isError: true, content: [{ type: "text" as const, text: "404 Not Found" }] };
  return { content: [{ type: "text" as const, text: JSON.stringify(found) }] };
}

server.registerTool(
  "pull_request_read",
  {
    description: "Get a pull request.",
    inputSchema: z.object({ ...place, pullNumber: z.number() }),
    annotations: { readOnlyHint: true },
  },
  ({ pullNumber }) => answer(String(pullNumber)),
);
server.registerTool(
  "actions_get",
  {
    description: "Get a run.",
    inputSchema: z.object({ ...place, resource_id: z.string() }),
    annotations: { readOnlyHint: true },
  },
  ({ resource_id: id }) => answer(id),
);
await server.connect(new StdioServerTransport());
