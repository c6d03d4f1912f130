import { setTimeout as wait } from "node:timers/promises";
import type { OwnedStore } from "@toolpacks/core";
import { expect, test } from "vitest";
import { emptyStore, openBench } from "./bench.fixture.ts";
import { reportKind } from "./report/report-kind.ts";

test("other requests are answered while large reports are written and masked", async () => {
  const bench = await openBench();
  const text = Buffer.alloc(4_000_000, "z").toString();
  const steps = Array.from({ length: 30 }, () => ({ step: "value", params: { text: "${input.text}" } }));
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

test("a run that changes nothing is answered before its report is written", async () => {
  const store = emptyStore();
  const held = Promise.withResolvers<void>();
  const slow: OwnedStore = {
    ...store,
    in: () => slow,
    transaction: async (work) => {
      await held.promise;
      return store.transaction(work);
    },
  };
  const bench = await openBench({ store: slow });
  // The result of the first step is long, and the answer does not name it.
  const { value } = await bench.call("workflow_eval", { steps: [{ tool: "test_long" }, { tool: "test_noop" }] });
  expect(value).toMatchObject({ status: "ok", report: expect.any(String) as string });
  expect(value).not.toHaveProperty("generation");
  expect((await store.query(reportKind)).total).toBe(0);
  held.resolve();
  const report = await bench.call("workflow_report", { format: "data" });
  const results = { step1: expect.stringMatching(/^relay:/) as string, step2: { done: true } };
  expect(report.value).toMatchObject({ report: value.report, generation: expect.any(Number) as number, results });
  await bench.close();
});
