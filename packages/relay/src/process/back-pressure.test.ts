import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { connectRelay } from "./connect-relay.ts";
import { createRelay } from "../create-relay.ts";
import { memoryValues } from "../values/memory-values.ts";

test("the relay does not read from a client that does not read, and delivers every answer when it reads", async () => {
  const [input, output, fromServer, toServer] = Array.from({ length: 4 }, () => new PassThrough()) as [
    PassThrough,
    PassThrough,
    PassThrough,
    PassThrough,
  ];
  const relay = createRelay({ values: memoryValues() });
  connectRelay({
    client: { input, output },
    server: { input: fromServer, output: toServer },
    relay,
    onError: (error) => expect.fail(String(error)),
  });
  const count = 3_000;
  const params = { uri: `relay://${"a".repeat(20)}`, padding: "x".repeat(1_000) };
  for (let id = 0; id < count; id += 1) {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "resources/read", params })}\n`);
  }
  await wait(500);
  expect(input.writableLength + input.readableLength).toBeGreaterThan(2_000_000);
  let text = "";
  output.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await expect.poll(() => text.split("\n").length - 1, { timeout: 20_000 }).toBe(count);
  const ids = text
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: number }).id);
  expect(new Set(ids).size).toBe(count);
});

test("the relay does not read from a server that does not read the errors of its oversized requests", async () => {
  const [input, output, fromServer, toServer] = Array.from({ length: 4 }, () => new PassThrough()) as [
    PassThrough,
    PassThrough,
    PassThrough,
    PassThrough,
  ];
  connectRelay({
    client: { input, output },
    server: { input: fromServer, output: toServer },
    relay: createRelay({ values: memoryValues() }),
    onError: () => {},
  });
  const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
  for (let id = 0; id < 3_000; id += 1) {
    fromServer.write(`{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":${deep}}\n`);
  }
  await wait(500);
  expect(fromServer.writableLength + fromServer.readableLength).toBeGreaterThan(1_000_000);
  expect(toServer.writableLength + toServer.readableLength).toBeLessThan(200_000);
});
