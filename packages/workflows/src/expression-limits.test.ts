import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { openBench, type Answer, type Bench } from "./bench.fixture.ts";

let bench: Bench;
const limited = async (limits: object = {}) => (bench = await openBench({ workflows: { limits } }));
afterEach(() => bench.close());

const evaluate = (steps: readonly object[], input: object = {}) => bench.call("workflow_eval", { steps, input });
const value = (a: unknown) => ({ step: "value", params: { a } });

/** A list and an expression over it that takes about ten milliseconds. */
const list = Array.from({ length: 250 }, (_, at) => at);
const slow = "size(input.list.map(x, input.list.filter(y, y + x > 5).size()))";
const slowList = (count: number): string[] => Array.from({ length: count }, () => `\${${slow}}`);

/** Returns the answer, and the longest delay of a ping during the call. */
async function withPings(run: () => Promise<Answer>): Promise<{ answer: Answer; longest: number }> {
  let longest = 0;
  const ending = new AbortController();
  const pings = (async () => {
    while (!ending.signal.aborted) {
      const started = performance.now();
      await bench.client.ping();
      longest = Math.max(longest, performance.now() - started);
      await wait(5);
    }
  })();
  const answer = await run();
  ending.abort();
  await pings;
  return { answer, longest };
}

describe("slow expressions", () => {
  test.each(
    Object.entries({
      "of one value": [value(slowList(200))],
      "of conditions": Array.from({ length: 200 }, () => ({ ...value(1), when: `${slow} > 1` })),
      "of parallel steps": [{ parallel: slowList(200).map(value), concurrency: 100 }],
      "of a loop": [{ forEach: Array.from({ length: 200 }, () => 1), concurrency: 100, steps: [value(`\${${slow}}`)] }],
    }),
  )("%s end at the limit of the run, and a ping is answered meanwhile", async (_, steps) => {
    await limited({ maxExpressionSeconds: 0.8 });
    const { answer, longest } = await withPings(() => evaluate(steps, { list }));
    expect(answer.value).toMatchObject({ status: "failed" });
    // On a busy machine the timeout of one expression may come first.
    expect(answer.text).toMatch(/the expressions of the run took longer than 0.8 s together|it took too long/);
    expect(longest).toBeLessThan(500);
  });

  test("stop when the run is cancelled", async () => {
    await limited();
    const ending = new AbortController();
    const call = bench.call(
      "workflow_eval",
      { steps: [value(slowList(1_000))], input: { list } },
      { signal: ending.signal },
    );
    call.catch(() => {});
    await wait(300);
    const started = performance.now();
    ending.abort();
    await expect(call).rejects.toThrow();
    await bench.dispatcher.idle();
    expect(performance.now() - started).toBeLessThan(1_500);
  });
});

describe("a workflow with too many expressions is refused before they are compiled", () => {
  test.each(
    Object.entries({
      "in one text": [value("${1+1}".repeat(100_000)), "may have at most 5,000 expressions"],
      "in one text of paths": [value("${input}".repeat(1_000_000)), "may have 1,000,000 characters together"],
      "in several texts": [value(Array.from({ length: 5_001 }, (_, at) => `\${${at}+1}`)), "at most 5,000 expressions"],
    } as const),
  )("%s", async (_, [step, problem]) => {
    await limited();
    const started = performance.now();
    const { answer, longest } = await withPings(() => evaluate([step]));
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(problem);
    expect(longest).toBeLessThan(2_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

test("texts whose total is too large are refused before they are joined", async () => {
  await limited({ maxBytes: 10_000_000 });
  const before = process.memoryUsage.rss();
  const texts = Array.from({ length: 500 }, () => "items: ${steps.range.items}");
  const answer = await evaluate([{ id: "range", tool: "test_range", params: { value: 200_000 } }, value(texts)]);
  expect(answer.value).toMatchObject({
    status: "failed",
    reason: "the results of the run are larger than 10,000,000 bytes",
  });
  expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
});
