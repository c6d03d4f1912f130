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
    expect(answer.value).toMatchObject({
      status: "failed",
      reason: "the expressions of the run took longer than 0.8 s together",
    });
    expect(answer.text).toContain("too_large");
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

describe("an expression with unbounded cost", () => {
  const text = Buffer.alloc(8_000_000, "x").toString();
  const sought = `${"x".repeat(20_000)}y${"x".repeat(20_000)}`;
  const bytes = "bytes(input.text)";
  test.each([
    ["input.text.split('')", "list of more than 1000000 items"],
    ["input.list.join(input.text)", "text of more than 16777216 characters"],
    ["size(input.list.join(input.text))", "text of more than 16777216 characters"],
    ["size(input.text + input.text + input.text)", "text of more than 16777216 characters"],
    [`size(${bytes} + ${bytes} + ${bytes})`, "text of more than 16777216 characters"],
    [`size((${bytes} + ${bytes}).hex())`, "text of more than 16777216 characters"],
    [`size((${bytes} + ${bytes}).base64())`, "16777216 characters"],
    ["bytes('[' + input.list.map(x, input.commas).join(',') + ']').json()", "made of more than 1,000,000 values"],
    ["'x'.matches(input.text)", "at most 1000 characters"],
    ["input.text.contains(input.sought)", "too long to be searched for"],
    ["input.text.indexOf(input.sought)", "too long to be searched for"],
    ["input.text.indexOf(input.sought, 1)", "too long to be searched for"],
    ["input.text.lastIndexOf(input.sought)", "too long to be searched for"],
    ["input.text.lastIndexOf(input.sought, 7000000)", "too long to be searched for"],
    ["input.text.split(input.sought)", "too long to be searched for"],
    ["input.text.split(input.sought, 2)", "too long to be searched for"],
  ])("%s is refused", async (expression, problem) => {
    await limited();
    const input = { text, sought, list: list.map(String), commas: "0,".repeat(10_000) + "0" };
    const { answer, longest } = await withPings(() => evaluate([value(`\${${expression}}`)], input));
    expect(answer.text).toContain("too_large");
    expect(answer.text).toContain(problem);
    expect(longest).toBeLessThan(3_000);
  });
});

test("bounded functions work on usual texts", async () => {
  await limited();
  const expressions = {
    "input.text.split(',')": ["a", "b", "c"],
    "input.text.split(',', 2)": ["a", "b,c"],
    "input.text.split(',', 0)": [],
    "['a', 'b'].join()": "ab",
    "['a', 'b'].join('-')": "a-b",
    "input.text.contains('b')": true,
    "input.text.matches('^a.b')": true,
    "input.text.indexOf('b')": 2,
    "input.text.indexOf(',', 2)": 3,
    "input.text.lastIndexOf(',')": 3,
    "input.text.lastIndexOf(',', 2)": 1,
    "input.text.indexOf('', 9)": 9,
    "bytes(input.text).hex()": "612c622c63",
    "bytes(input.text).base64()": "YSxiLGM=",
    "bytes('{\"a\": 1}').json().a": 1,
    "input.text + input.text": "a,b,ca,b,c",
  };
  const answer = await evaluate([value(Object.keys(expressions).map((source) => `\${${source}}`))], { text: "a,b,c" });
  expect(answer.value).toMatchObject({ status: "ok", result: { a: Object.values(expressions) } });
  const long = await evaluate([value("${size(input.text)}")], { text: Buffer.alloc(16_000_000, "x").toString() });
  expect(long.value).toMatchObject({ status: "ok", result: { a: 16_000_000 } });
  const wrong = await evaluate([value("${[1].join('-')} ${input.text.split(1)}")], { text: "a,b,c" });
  expect(wrong.text).not.toContain("bounded_");
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
