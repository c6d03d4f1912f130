// A server with 117 tools of the size that real servers have. `pnpm start` mounts it behind toolpacks.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const verbs = ["list", "get", "create", "update", "close", "search", "export", "archive", "assign"];
const nouns =
  "invoice customer branch ticket deployment order shipment contact campaign document release pipeline refund".split(
    " ",
  );

const server = new McpServer(
  { name: "desk", title: "The desk of a shop: orders, invoices, tickets", version: "1.0.0" },
  { capabilities: { tools: {} } },
);

for (const noun of nouns) {
  for (const verb of verbs) {
    const inputSchema = z.object({
      [`${noun}_id`]: z.string().describe(`which ${noun}`),
      state: z.enum(["open", "closed", "all"]).optional().describe("only those in this state"),
      changed_after: z.string().optional().describe("only those that changed after this date"),
      limit: z.int().optional().describe("how many at most"),
    });
    const description = `${verb} a ${noun} by its id. Answers the ${noun}'s state, who changed it last and when, and links to everything that belongs to it.`;
    server.registerTool(`${verb}_${noun}`, { description, inputSchema }, (given) => ({
      content: [{ type: "text", text: JSON.stringify({ tool: `${verb}_${noun}`, given, state: "open" }) }],
    }));
  }
}

await server.connect(new StdioServerTransport());
