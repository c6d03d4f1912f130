import { valuePartKind } from "@toolpacks/store";
import { afterEach, describe, expect, test } from "vitest";
import { openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";

let bench: Bench;
const open = async (options?: BenchOptions) => (bench = await openBench(options));
const limited = (limits: object) => open({ workflows: { limits } });
afterEach(() => bench.close());

const evaluate = (steps: readonly object[], more: object = {}) => bench.call("workflow_eval", { steps, ...more });
const range = (length: number) => Array.from({ length }, (_, at) => at);

/** The resident memory that a call adds at most, in megabytes. */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  await work();
  clearInterval(timer);
  return (Math.max(peak, process.memoryUsage.rss()) - before) / 1024 ** 2;
}

describe("a run whose results double with each step", () => {
  /** Each step uses the result of the step before it, named `last`. */
  const doubling = (params: (last: string) => object) => [
    { id: "s0", step: "value", params: { v: "0123456789" } },
    ...range(60).map((at) => ({ id: `s${at + 1}`, step: "value", params: params(`steps.s${at}.v`) })),
  ];
  const shapes: Readonly<Record<string, (last: string) => object>> = {
    "as text": (last) => ({ v: `\${${last}}\${${last}}` }),
    "as text of an expression": (last) => ({ v: `\${${last} + ${last}}` }),
    "as a list": (last) => ({ v: [`\${${last}}`, `\${${last}}`] }),
    "as a list of an expression": (last) => ({
      v: `\${[${range(50)
        .map(() => last)
        .join()}]}`,
    }),
    "as JSON inside a text": (last) => ({ v: { a: `\${${last}}`, b: `\${${last}}`, c: `\${${last}} \${${last}}` } }),
  };

  test.each(Object.entries(shapes))("%s fails at the limit with the finished steps in its report", async (_, shape) => {
    await open();
    let answer = await evaluate([{ tool: "test_noop" }]);
    const megabytes = await peakOf(async () => (answer = await evaluate(doubling(shape))));
    expect(answer.value).toMatchObject({ status: "failed" });
    expect(JSON.stringify(answer.value)).toMatch(/too_large/);
    expect(megabytes).toBeLessThan(1_000);
    const report = await bench.call("workflow_report", { report: answer.value.report });
    expect(report.value.steps?.[0]).toMatchObject({ step: "s0", status: "ok" });
    const { size } = await bench.call("workflow_eval", { steps: [{ tool: "test_noop" }] }).then(() => storeSize());
    expect(size).toBeLessThan(400_000_000);
  });

  const storeSize = async () => {
    const { items } = await bench.store.query(valuePartKind, { limit: 1_000 });
    return { size: items.reduce((sum, { data }) => sum + data.bytes.length, 0) };
  };
});

describe("maxBytes", () => {
  test("ends a run as failed, and names the setting", async () => {
    await limited({ maxBytes: 100_000 });
    const answer = await evaluate([{ forEach: range(100), steps: [{ tool: "test_long" }] }], { onError: "continue" });
    const reason = "the results of the run are larger than 100,000 bytes";
    expect(answer.value).toMatchObject({ status: "failed", reason });
    expect(answer.value.steps?.[0]).toMatchObject({
      error: { code: "too_large", hint: expect.stringContaining("packs.workflows.limits.maxBytes") as string },
    });
    // Two results of 50,000 bytes, or fewer, fit.
    expect(bench.done.calls.length).toBeLessThan(4);
  });

  test("counts the arguments of calls in a dry run", async () => {
    await limited({ maxBytes: 100_000 });
    const params = { value: "x".repeat(30_000) };
    const answer = await evaluate([{ forEach: range(10), steps: [{ tool: "test_write", params }] }], { dryRun: true });
    expect(answer.value).toMatchObject({ status: "failed", reason: expect.stringContaining("100,000") as string });
  });
});

describe("maxSteps", () => {
  const nested = (list: unknown, steps: readonly object[]) => ({ forEach: list, steps });

  test("stops nested loops, also of workflows that are called", async () => {
    const inner = { description: "Inner.", steps: [nested(range(20), [{ tool: "test_write" }])] };
    await open({ definitions: { inner }, workflows: { limits: { maxSteps: 100 } } });
    const answer = await evaluate([nested(range(20), [{ workflow: "inner", input: {} }])]);
    expect(answer.value).toMatchObject({ status: "failed", reason: "the run has more than 100 steps" });
    expect(bench.done.calls.length).toBeLessThan(100);
  });

  test("counts retries and fallbacks while they run", async () => {
    await limited({ maxSteps: 50 });
    const step = { parallel: [{ tool: "test_refuse" }], fallback: [{ tool: "test_noop" }] };
    const steps = range(30).map(() => ({ ...step, onError: "continue" }));
    const answer = await evaluate(steps.slice(0, 20));
    expect(answer.value).toMatchObject({ status: "failed", reason: "the run has more than 50 steps" });
  });
});

test("maxSeconds ends a run, with the finished steps in its report", async () => {
  await limited({ maxSeconds: 0.3 });
  const answer = await evaluate([
    { id: "a", tool: "test_noop" },
    { tool: "test_deaf", params: { ms: 3_000 } },
  ]);
  expect(answer.value).toMatchObject({ status: "failed", reason: "the run took longer than 0.3 s" });
  const report = await bench.call("workflow_report", { report: answer.value.report });
  expect(report.value.steps).toMatchObject([{ step: "a", status: "ok" }, { error: { code: "too_large" } }]);
});

test("maxConcurrency limits the calls in progress, also in nested loops", async () => {
  await limited({ maxConcurrency: 3 });
  const loop = (steps: readonly object[]) => [{ forEach: range(3), concurrency: 3, steps }];
  const meeting = (value: number) => evaluate(loop(loop([{ tool: "test_meet", params: { value }, timeout: 500 }])));
  expect((await meeting(3)).value["status"]).toBe("ok");
  expect((await meeting(4)).value["status"]).toBe("failed");
});

test("steps that are nested too deep are refused", async () => {
  await open();
  const deep = (depth: number): object => (depth === 0 ? { tool: "test_noop" } : { parallel: [deep(depth - 1)] });
  expect((await evaluate([deep(30)])).value["status"]).toBe("ok");
  expect((await evaluate([deep(40)])).text).toContain("nested more than 32 levels deep");
});
