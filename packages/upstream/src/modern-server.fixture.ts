import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const name = z.object({ name: z.string() });
const text = (value: string) => ({ type: "text" as const, text: value });
let cancelled = 0;

/** A server of the 2026 protocol with a tool for each kind of result. */
export function createModernServer(): McpServer {
  const server = new McpServer({ name: "modern", version: "2" });
  const add = (tool: string, ...[handler]: [Parameters<typeof server.registerTool>[2]]) =>
    server.registerTool(tool, { description: tool, inputSchema: z.object({}) }, handler);

  add("say", async () => ({ content: [text("said")] }));
  add("structure", async () => ({ content: [], structuredContent: { n: 1 } }));
  add("note", async () => ({ content: [{ ...text("noted"), annotations: { audience: ["user" as const] } }] }));
  add("draw", async () => ({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }));
  add("fail", async () => ({ content: [text("failed")], isError: true }));
  add("ask", async (_, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "who", name);
    if (answer !== undefined) return { content: [text(`hello ${answer.name}`)] };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: "Who?", requestedSchema: name }) } });
  });
  add("count", async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? "none";
    for (const progress of [1, 2, 3]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    }
    return { content: [text("counted")] };
  });
  add("hang", async (_, { mcpReq }) => {
    await new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve));
    cancelled += 1;
    return { content: [] };
  });
  add("cancelled", async () => ({ content: [text(String(cancelled))] }));
  return server;
}
