import { expect, onTestFinished, test } from "vitest";
import { ChildTransport } from "./child-transport.ts";
import { parseUpstreamOptions, type LocalPlan } from "./options.ts";

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

test("requests of a server are handled 32 at a time, and other work runs between", async () => {
  const script = `process.stdout.write('{"jsonrpc":"2.0","id":5,"method":"ping"}\\n'.repeat(3_000)); setInterval(() => {}, 1_000)`;
  const plan = parseUpstreamOptions({ name: "loud", command: process.execPath, args: ["-e", script] }) as LocalPlan;
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
    };
  });
  await transport.start();
  await all;
  // A turn may begin between two counts.
  expect(maxInTurn).toBeLessThanOrEqual(64);
});
