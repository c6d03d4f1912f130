// A server that writes everything it gets, its variables included, to a file: `node canary-server.fixture.ts <file>`.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file = ""] = process.argv.slice(2);
appendFileSync(file, `${JSON.stringify({ pid: process.pid, argv: process.argv, env: process.env })}\n`);
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  appendFileSync(file, `${line}\n`);
  const { id, method } = JSON.parse(line) as { id?: number; method?: string };
  const serverInfo = { name: "canary", version: "1" };
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const text = { type: "text", text: String(process.pid) };
  if (method === "initialize") send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
  else if (method === "tools/list") {
    send({ id, result: { tools: ["say", "hang"].map((name) => ({ name, inputSchema: { type: "object" } })) } });
  } else if (method === "prompts/list") send({ id, result: { prompts: [{ name: "ask" }] } });
  else if (method === "resources/list") send({ id, result: { resources: [{ name: "one", uri: "one://one" }] } });
  else if (method === "resources/templates/list") send({ id, result: { resourceTemplates: [] } });
  else if (method === "tools/call" && line.includes('"hang"')) return;
  else if (method === "tools/call") send({ id, result: { content: [text] } });
  else if (method === "prompts/get") send({ id, result: { messages: [{ role: "user", content: text }] } });
  else if (method === "resources/read") send({ id, result: { contents: [{ uri: "one://one", text: "1" }] } });
  else if (id !== undefined) send({ id, error: { code: -32_601, message: "no such method" } });
});
