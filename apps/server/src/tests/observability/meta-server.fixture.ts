// A server over stdio with a tool, a prompt and a resource that answer the `_meta` of the request, without the keys of the protocol.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const metaText = (meta: unknown) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(meta ?? {}).filter(([key]) => !/^io\.modelcontextprotocol\/|progressToken/.test(key)),
    ),
  );

serveStdio(() => {
  const server = new McpServer({ name: "meta", version: "1" });
  const tool = {
    description: "Show the metadata of the request.",
    inputSchema: z.object({ fails: z.boolean().optional() }),
  };
  server.registerTool("show", tool, async ({ fails = false }, { mcpReq }) => ({
    content: [{ type: "text" as const, text: metaText(mcpReq._meta) }],
    isError: fails,
  }));
  server.registerPrompt("show", { description: "Show it." }, async ({ mcpReq }) => ({
    messages: [{ role: "user" as const, content: { type: "text" as const, text: metaText(mcpReq._meta) } }],
  }));
  server.registerResource("show", "meta://show", {}, async (uri, { mcpReq }) => ({
    contents: [{ uri: uri.href, text: metaText(mcpReq._meta) }],
  }));
  return server;
});
