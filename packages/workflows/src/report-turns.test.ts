import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { openBench } from "./bench.fixture.ts";

test("other requests are answered while large reports are written and masked", async () => {
  const bench = await openBench();
  const text = Buffer.alloc(2_000_000, "z").toString();
  const steps = Array.from({ length: 16 }, () => ({ step: "value", params: { text: "${input.text}" } }));
  const began = performance.now();
  let last = began;
  let longest = 0;
  const answer = bench.call("workflow_eval", { steps, input: { text } });
  const ending = new AbortController();
  const answered = answer.finally(() => ending.abort());
  while (!ending.signal.aborted) {
    await wait(1);
    await bench.client.ping();
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  expect((await answered).value).toMatchObject({ status: "ok" });
  expect(longest).toBeLessThan((performance.now() - began) / 4);
  await bench.close();
}, 60_000);
