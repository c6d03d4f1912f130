// A server of `@modelcontextprotocol/sdk` 1.x with a tool of its own and two packs. Usage: node src/sdk-1.ts <folder> <store file>
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { storePack } from "@toolpacks/store";
import { filesystem } from "@toolpacks/filesystem";
import { planner } from "@toolpacks/planner";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";

const [folder = ".", file = "notes.db"] = process.argv.slice(2);

const server = new McpServer({ name: "mine", version: "1.0.0" });
server.registerTool("greet", { description: "Greet.", inputSchema: { name: z.string() } }, ({ name }) => ({
  content: [{ type: "text", text: `Hello ${name}` }],
}));

await filesystem({ roots: [folder] }).registerWith(server, { readOnly: true });
await storePack({ store: sqlite(file), kinds: planner().kinds }).registerWith(server);
await server.connect(new StdioServerTransport());
