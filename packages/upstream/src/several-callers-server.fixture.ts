// A server whose only tool reports progress, asks its user, and answers with what both have seen. With the argument "legacy" it speaks a protocol before
// 2026, in which a question does not name its call.
import { createInterface } from "node:readline";
import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const answerSchema = z.object({ answer: z.string() });

/** A server of the 2026 protocol. */
export function createEchoServer(): McpServer {
  const server = new McpServer({ name: "echo", version: "2" });
  const schema = { description: "Echo.", inputSchema: z.object({ text: z.string() }) };
  server.registerTool("echo", schema, async ({ text }, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "who", answerSchema);
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      const params = { progressToken, progress: answer === undefined ? 1 : 2, message: text };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    if (answer !== undefined) return { content: [{ type: "text", text: `${text} ${answer.answer}` }] };
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: text, requestedSchema: answerSchema }) },
    });
  });
  return server;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } };
  readonly result?: { readonly action?: string };
  readonly error?: { readonly message?: string };
}

/** Waits for a second call before it asks for the first one, so that two calls run. */
function serveLegacy(): void {
  const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const calls: Message[] = [];
  const answer = (text: string) => {
    for (const { id } of calls.splice(0)) send({ id, result: { content: [{ type: "text", text }] } });
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    const { id, method } = message;
    const serverInfo = { name: "echo", version: "1" };
    if (method === "initialize") {
      send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
    } else if (method === "tools/list") {
      send({ id, result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } });
    } else if (method === "tools/call") {
      calls.push(message);
      const params = { message: "Who?", requestedSchema: { type: "object", properties: {} } };
      if (calls.length === 2) send({ id: "q", method: "elicitation/create", params });
    } else if (method === undefined) answer(message.error?.message ?? message.result?.action ?? "");
    else if (id !== undefined) send({ id, error: { code: -32_601, message: "no such method" } });
  });
}

if (process.argv[2] === "legacy") serveLegacy();
else if (process.argv[2] === "modern") serveStdio(createEchoServer);
