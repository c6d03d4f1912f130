// An MCP server that misbehaves as its arguments say, in plain JSON-RPC: `node rough-server.fixture.ts <manner> [log]`.
// A manner that is a JSON file is a list of the tools.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [manner = "plain", log] = process.argv.slice(2);
if (log !== undefined) appendFileSync(log, `${process.pid}\n`);
if (manner === "stubborn") process.on("SIGTERM", () => {});

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly cursor?: string;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: { readonly progressToken?: number };
  };
}

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

/** Read at each list, so that a test can change the tools. */
const changes = (): Partial<Record<string, string>> =>
  log !== undefined && existsSync(`${log}.changes`)
    ? (JSON.parse(readFileSync(`${log}.changes`, "utf8")) as Record<string, string>)
    : {};

function tools(cursor: string | undefined): object {
  const { description = "Says a text." } = changes();
  const schema = { type: "object", properties: { text: { type: "string" } } };
  const tool = (name: string, more: object = {}) => ({ name, description, inputSchema: schema, ...more });
  if (manner === "many") return { tools: Array.from({ length: 5_000 }, (_, at) => tool(`tool_${at}`)) };
  if (manner === "endless")
    return { tools: [tool(`tool_${cursor ?? 0}`)], nextCursor: String(Number(cursor ?? 0) + 1) };
  if (manner === "circle") return { tools: [tool("one")], nextCursor: "again" };
  if (manner.endsWith(".json")) return { tools: JSON.parse(readFileSync(manner, "utf8")) as unknown };
  if (manner === "nonsense") return { tools: [{ name: 7 }, "no tool", tool("say", { outputSchema: 5 })] };
  const names = ["say", "die", "hang", "flood", "junk", "big", "big_last", "fork", "wait", "fail"];
  if (manner === "leaving") names.push("desert", "last");
  const intent = tool("plan", {
    inputSchema: { type: "object", properties: { goal: { type: "string" } }, required: ["goal"] },
  });
  return { tools: [...names.map((name) => tool(name)), intent, tool("look", { annotations: { readOnlyHint: true } })] };
}

let atOnce = 0;
let maxAtOnce = 0;

async function call({ id, params }: Request): Promise<void> {
  const answer = (result: object) => send({ id, result });
  const { name, arguments: args = {} } = params ?? {};
  if (manner === "text_ids") {
    const progressToken = String(params?._meta?.progressToken);
    send({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    return void send({ id: String(id), result: text("answered") });
  }
  switch (name) {
    case "die":
      process.exit(3);
      break;
    case "hang":
      return;
    case "flood":
      for (let line = 0; line < 100_000; line += 1) process.stderr.write(`noise ${line} ${"x".repeat(200)}\n`);
      return void answer(text("flooded"));
    case "junk":
      process.stdout.write('this is no JSON\n[1,2]\n{"half":\n\n');
      return void answer(text("after junk"));
    case "big":
      return writeBig(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`, '"}]}}\n');
    case "big_last":
      return writeBig('{"result":{"content":[{"type":"text","text":"', `"}]},"jsonrpc":"2.0","id":${id}}\n`);
    case "fork": {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      return void answer(text(String(child.pid)));
    }
    case "desert":
      // In a session of its own, so that ending the process group does not end it.
      spawn(process.execPath, ["-e", "setTimeout(() => {}, 10_000)"], { stdio: "inherit", detached: true }).once(
        "spawn",
        () => process.exit(3),
      );
      return;
    case "last":
      for (let progress = 1; progress <= 20; progress += 1) {
        send({ method: "notifications/progress", params: { progressToken: params?._meta?.progressToken, progress } });
      }
      answer(text("the last words"));
      return void process.stdout.write("", () => process.exit(0));
    case "wait":
      atOnce += 1;
      maxAtOnce = Math.max(maxAtOnce, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 100));
      atOnce -= 1;
      return void answer(text(String(maxAtOnce)));
    case "fail":
      return void send({ id, error: { code: -32_000, message: "the disk is full" } });
    default:
      return void answer(text(JSON.stringify({ pid: process.pid, ...args })));
  }
}

/** Writes 200 MB in chunks. */
async function writeBig(start: string, end: string): Promise<void> {
  const chunk = "x".repeat(1_000_000);
  process.stdout.write(start);
  for (let written = 0; written < 200; written += 1) {
    if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  process.stdout.write(end);
}

function handle(request: Request): void {
  const { id, method } = request;
  const answer = (result: object) => send({ id, result });
  if (method === "initialize") {
    if (manner === "silent") return;
    const prompts = changes()["prompt"] === undefined ? {} : { prompts: {} };
    const capabilities = { tools: { listChanged: true }, ...prompts };
    return void answer({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "rough", version: "1" } });
  }
  if (method === "tools/list" && changes()["list"] === "never") return;
  if (method === "tools/list") return void answer(tools(request.params?.cursor));
  if (method === "prompts/list") return void answer({ prompts: [{ name: "brief", description: changes()["prompt"] }] });
  if (method === "prompts/get") {
    return void answer({ messages: [{ role: "user", content: { type: "text", text: "Be brief." } }] });
  }
  if (method === "tools/call") return void call(request);
  if (manner === "abrupt" && method === "server/discover") process.exit(1);
  if (id !== undefined && manner !== "silent") send({ id, error: { code: -32_601, message: "no such method" } });
}

if (manner === "broken") {
  process.stderr.write("no licence found\n");
  process.exit(1);
}
process.on("SIGUSR2", () => send({ method: "notifications/tools/list_changed" }));
const lines = createInterface({ input: process.stdin });
const delayMs = manner === "slow" ? 300 : 0;
lines.on("line", (line) => {
  const request = JSON.parse(line) as Request;
  if (delayMs === 0) handle(request);
  else setTimeout(() => handle(request), delayMs);
});
// Keeps the process running after the end of its input.
if (manner === "stubborn") setInterval(() => {}, 1_000);
else lines.on("close", () => process.exit(0));
