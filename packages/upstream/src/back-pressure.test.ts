import { expect, onTestFinished, test } from "vitest";
import { ChildTransport } from "./child-transport.ts";
import { settleOptions, type LocalPlan } from "./options.ts";

test("messages to a server that does not read fail before they fill the memory", async () => {
  const args = ["-e", "setInterval(() => {}, 1_000)"];
  const transport = new ChildTransport(settleOptions({ name: "silent", command: process.execPath, args }) as LocalPlan);
  onTestFinished(() => transport.close());
  await transport.start();
  const text = "x".repeat(20_000_000);
  const send = (id: number) => transport.send({ jsonrpc: "2.0", id, method: "tools/call", params: { text } });
  const waiting = [1, 2, 3, 4].map(send);
  await expect(send(5)).rejects.toThrow("the server does not read its input (more than 67,108,864 bytes wait)");
  await transport.close();
  await Promise.all(waiting);
});
