import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { ChildTransport } from "./child-transport.ts";
import { parseUpstreamOptions, type LocalPlan } from "./options.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

/** Answers the call. */
const okLine = '{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"ok"}]}}';

const script = `
const { createInterface } = require("node:readline");
const deep = "[".repeat(300_000) + "]".repeat(300_000);
const values = "[" + "{},".repeat(1_000_000) + "{}]";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const serverInfo = { name: "hostile", version: "1" };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
  else if (method === "tools/list") send({ id, result: { tools: [{ name: "go", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") {
    for (const one of params.arguments.lines) process.stdout.write(one.replaceAll("$id", id).replaceAll("$deep", deep).replaceAll("$values", values) + "\\n");
  } else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
});`;

/**
 * The command of a server that writes the lines of a call of its tool. `$id` stands for the id of the call, `$deep` for a list nested 300,000 levels
 * deep, `$values` for a list of a million objects.
 */
const writing = () => ({ command: process.execPath, args: ["-e", script] });

async function go(client: Client, ...lines: readonly string[]): Promise<string> {
  const { content } = await client.callTool({ name: "tool_invoke", arguments: { name: "evil_go", args: { lines } } });
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

const strayLines = [
  ["an object as id", '{"jsonrpc":"2.0","id":{"toString":1,"valueOf":1},"result":{}}'],
  [
    "an object as progress token",
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{"toString":1,"valueOf":1},"progress":1}}',
  ],
  ["an object as method", '{"jsonrpc":"2.0","method":{"a":1},"id":null,"params":5}'],
  [
    "a notification over a limit",
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":$deep}}',
  ],
  [
    "a request over a limit",
    '{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"x","requestedSchema":$deep}}',
  ],
  ["a deep list as id", '{"jsonrpc":"2.0","id":$deep,"result":{}}'],
] as const;

describe("a server's line", () => {
  test("over a limit fails its call with an error that names the limit, and lines that are no answers disturb no call", async () => {
    const { client } = await connectThrough([createUpstream({ name: "evil", ...writing() })]);
    const structure = '"content":[{"type":"text","text":"x"}]';
    for (const [rest, limit] of [
      [`"result":{${structure},"structuredContent":{"a":$deep}}`, /256 levels/],
      ['"result":{"content":[{"type":"text","text":"x","_meta":{"a":$deep}}]}', /256 levels/],
      ['"error":{"code":-32000,"message":"bad","data":$deep}', /256 levels/],
      [`"result":{${structure},"structuredContent":{"a":$values}}`, /1,000,000 values/],
    ] as const) {
      const answer = await go(client, `{"jsonrpc":"2.0","id":$id,${rest}}`);
      expect(answer, rest).toMatch(/^too_large: evil: /);
      expect(answer, rest).toMatch(limit);
    }
    // The last one closes the connection.
    for (const [what, line] of strayLines) expect(await go(client, line, okLine), what).toBe("ok");
  });
});

test("messages to a server that does not read fail before they fill the memory", async () => {
  const args = ["-e", "setInterval(() => {}, 1_000)"];
  const transport = new ChildTransport(
    parseUpstreamOptions({ name: "silent", command: process.execPath, args }) as LocalPlan,
  );
  onTestFinished(() => transport.close());
  await transport.start();
  const text = "x".repeat(20_000_000);
  const send = (id: number) => transport.send({ jsonrpc: "2.0", id, method: "tools/call", params: { text } });
  const waiting = [1, 2, 3, 4].map(send);
  await expect(send(5)).rejects.toThrow("the server does not read its input (more than 67,108,864 bytes wait)");
  await transport.close();
  await Promise.all(waiting);
});

test("a server that sends requests and does not read the responses is closed", async () => {
  const args = ["-e", "setInterval(() => {}, 1_000)"];
  const logged: string[] = [];
  const log = (_: string, message: string) => logged.push(message);
  const plan = parseUpstreamOptions({ name: "silent", command: process.execPath, args, log }) as LocalPlan;
  const transport = new ChildTransport(plan);
  onTestFinished(() => transport.close());
  const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
  await transport.start();
  const text = "x".repeat(10_000);
  const send = (id: number) => transport.send({ jsonrpc: "2.0", id, result: { text } });
  const sent = Promise.allSettled(Array.from({ length: 200 }, (_, id) => send(id)));
  await closed;
  await sent;
  expect(logged).toEqual(["closed: it does not read the responses to its 100 latest requests"]);
});

test("a server that sends large notifications is not read while they wait to be handled", async () => {
  const line = `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[${Array.from({ length: 20_000 }, () => "{}").join(",")}]}}`;
  const script = `const line = ${JSON.stringify(line)} + "\\n"; const more = () => process.stdout.write(line, more); more();`;
  const plan = parseUpstreamOptions({ name: "loud", command: process.execPath, args: ["-e", script] }) as LocalPlan;
  const transport = new ChildTransport(plan);
  onTestFinished(() => transport.close());
  let received = 0;
  let peak = 0;
  const enough = new Promise<void>((resolve) => {
    transport.onmessage = () => {
      received += 1;
      // Handled more slowly than they come.
      for (const end = performance.now() + 3; performance.now() < end;);
      peak = Math.max(peak, process.memoryUsage().heapUsed);
      if (received === 250) resolve();
    };
  });
  const before = process.memoryUsage().heapUsed;
  await transport.start();
  await enough;
  expect((peak - before) / 1e6).toBeLessThan(500);
});

test("requests of a server are handled 32 at a time, and other work runs between; a line whose handler throws closes its own connection only, and is logged", async () => {
  const script = `process.stdout.write('{"jsonrpc":"2.0","id":5,"method":"ping"}\\n'.repeat(3_001)); setInterval(() => {}, 1_000)`;
  const logged: string[] = [];
  const log = (_: string, message: string) => void logged.push(message);
  const plan = parseUpstreamOptions({
    name: "loud",
    command: process.execPath,
    args: ["-e", script],
    log,
  }) as LocalPlan;
  const transport = new ChildTransport(plan);
  onTestFinished(() => transport.close());
  let [received, inTurn, maxInTurn] = [0, 0, 0];
  const nextTurn = () => {
    inTurn = 0;
    turns = setImmediate(nextTurn);
  };
  let turns = setImmediate(nextTurn);
  onTestFinished(() => clearImmediate(turns));
  const all = new Promise<void>((resolve) => {
    transport.onmessage = () => {
      [received, inTurn] = [received + 1, inTurn + 1];
      maxInTurn = Math.max(maxInTurn, inTurn);
      if (received === 3_000) resolve();
      if (received > 3_000) throw new Error("boom");
    };
  });
  const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
  await transport.start();
  await all;
  await closed;
  expect(logged.join("\n")).toContain("a message of the server cannot be handled: boom");
  // A turn may begin between two counts.
  expect(maxInTurn).toBeLessThanOrEqual(64);
});
