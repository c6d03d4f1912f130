// The rough server as a program: `node rough-server.fixture.ts <manner> [log]`. A manner that is a JSON file is a list of the tools. The process id is
// written to the log, and changes are read from `<log>.changes`. SIGUSR2 announces changed tools.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Message } from "./in-memory.fixture.ts";
import { roughHandler, type Manner, type RoughChanges } from "./rough.fixture.ts";

const [manner = "plain", log] = process.argv.slice(2) as [Manner?, string?];
if (log !== undefined) appendFileSync(log, `${process.pid}\n`);
if (manner === "stubborn") process.on("SIGTERM", () => {});

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const instance = { send, end: () => process.exit(3) };
const tools = manner.endsWith(".json") ? { tools: JSON.parse(readFileSync(manner, "utf8")) as readonly object[] } : {};
const changes = (): RoughChanges => {
  const file = `${log}.changes`;
  return { ...tools, ...(existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as RoughChanges)) };
};
const handle = roughHandler({ manner, changes, instance, answer: { pid: process.pid } });
process.on("SIGUSR2", () => send({ method: "notifications/tools/list_changed" }));

/** Tools that need a process. Returns false for other tools. */
function callHere({ id, params }: Message): boolean {
  const answer = (text: string) => send({ id, result: { content: [{ type: "text", text }] } });
  switch (params?.name) {
    case "flood":
      for (let line = 0; line < 100_000; line += 1) process.stderr.write(`noise ${line} ${"x".repeat(200)}\n`);
      answer("flooded");
      return true;
    case "junk":
      process.stdout.write('this is no JSON\n[1,2]\n{"half":\n\n');
      answer("after junk");
      return true;
    case "big":
      void writeBig(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`, '"}]}}\n');
      return true;
    case "big_last":
      void writeBig('{"result":{"content":[{"type":"text","text":"', `"}]},"jsonrpc":"2.0","id":${id}}\n`);
      return true;
    case "fork":
      answer(String(spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }).pid));
      return true;
    case "desert":
      // In a session of its own, so that ending the process group does not end it.
      spawn(process.execPath, ["-e", "setTimeout(() => {}, 10_000)"], { stdio: "inherit", detached: true }).once(
        "spawn",
        () => process.exit(3),
      );
      return true;
    case "last":
      for (let progress = 1; progress <= 20; progress += 1) {
        send({ method: "notifications/progress", params: { progressToken: params?._meta?.progressToken, progress } });
      }
      answer("the last words");
      process.stdout.write("", () => process.exit(0));
      return true;
    default:
      return false;
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

if (manner === "broken") {
  process.stderr.write("Error: no licence\n    at give (server.js:1:1)\n");
  process.exit(1);
}
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line) as Message;
  if (manner === "abrupt" && message.method === "server/discover") process.exit(1);
  if (message.method !== "tools/call" || !callHere(message)) handle(message);
});
// Keeps the process running after the end of its input.
if (manner === "stubborn") setInterval(() => {}, 1_000);
else lines.on("close", () => process.exit(0));
