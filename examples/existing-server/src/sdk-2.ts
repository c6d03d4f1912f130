// A server of `@modelcontextprotocol/server` 2.x with a tool of its own and two packs. Usage: node src/sdk-2.ts <folder> <store file>
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { storePack } from "@toolpacks/store";
import { filesystem } from "@toolpacks/filesystem";
import { planner } from "@toolpacks/planner";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";

const [folder = ".", file = "notes.db"] = process.argv.slice(2);

const server = new McpServer({ name: "mine", version: "1.0.0" });
server.registerTool("greet", { description: "Greet.", inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
  content: [{ type: "text", text: `Hello ${name}` }],
}));

await filesystem({ roots: [folder] }).registerWith(server, { readOnly: true });
await storePack({ store: sqlite(file), kinds: planner().kinds }).registerWith(server);
await server.connect(new StdioServerTransport());
