import { afterEach, describe, expect, test } from "vitest";
import { openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";

let bench: Bench;
const open = async (options?: BenchOptions) => (bench = await openBench(options));
afterEach(() => bench.close());

/** Runs a step between two others, and answers what the report says of it. */
async function middle(step: object, more: object = {}) {
  const steps = [{ tool: "test_noop" }, { id: "middle", ...step }, { id: "after", tool: "test_noop" }];
  const answer = await bench.call("workflow_eval", { steps, ...more });
  expect(answer.isError).toBe(answer.value["status"] === "failed");
  const report = await bench.call("workflow_report", { report: answer.value.report });
  const entry = report.value.steps?.find((one) => one["step"] === "middle");
  return { status: answer.value["status"], entry, steps: report.value.steps, text: answer.text };
}

describe("a step is a failed step in the report if it", () => {
  test("names an unknown tool", async () => {
    await open();
    const { status, entry } = await middle({ tool: "test_nop" });
    expect(status).toBe("failed");
    expect(entry).toMatchObject({
      status: "failed",
      error: { code: "not_found", hint: expect.stringContaining("Nearest: test_noop") },
    });
  });

  test("calls a tool of a denied facet, or one that changes something on a read-only server", async () => {
    await open({ rights: { deny: ["test_echo"] } });
    expect((await middle({ tool: "test_echo" })).entry).toMatchObject({ error: { code: "denied" } });
    await bench.close();
    await open({ rights: { readOnly: true } });
    expect((await bench.client.listTools()).tools.map(({ name }) => name)).not.toContain("workflow_eval");
    expect((await bench.call("workflow_eval", { steps: [{ tool: "test_write" }] })).text).toContain("denied");
  });

  test("has bad params", async () => {
    await open();
    const { entry } = await middle({ tool: "test_echo", params: { valeu: 1 } });
    expect(entry).toMatchObject({
      error: { code: "invalid_input", message: expect.stringContaining("did you mean value?") },
    });
  });

  test("throws an error, whose cause is not shown", async () => {
    await open();
    expect((await middle({ tool: "test_break" })).entry).toMatchObject({ error: { code: "internal" } });
    const answer = await bench.call("workflow_report", { format: "json" });
    expect(answer.text).not.toContain("secret");
    await bench.close();
    await open({ workflows: { inline: ["test_break_step", "tool"] } });
    const { entry } = await middle({ step: "test_break_step" });
    expect(entry).toMatchObject({ error: { code: "internal", message: "the step failed inside the server" } });
  });

  test("takes too long, even if it ignores the signal", async () => {
    await open();
    const started = performance.now();
    for (const tool of ["test_slow", "test_deaf"]) {
      const { entry } = await middle({ tool, params: { ms: 3_000 }, timeout: 100 });
      expect(entry).toMatchObject({
        error: { code: "unavailable", message: "it took longer than 100 ms and was stopped" },
      });
    }
    const { entry } = await middle({
      forEach: [1],
      steps: [{ tool: "test_slow", params: { ms: 3_000 } }],
      timeout: 100,
    });
    expect(entry).toMatchObject({ error: { message: "it took longer than 100 ms and was stopped" } });
    expect(performance.now() - started).toBeLessThan(2_500);
  });

  test.each(["steps.x +", "nope.y", "input.a.b.c", "[1][9]", "1 / 0", "input.list.map(a, 1 / a)", "'a' * 2"])(
    "has the expression %s",
    async (expression) => {
      await open();
      const step = { id: "middle", tool: "test_echo", params: { value: `\${${expression}}` } };
      const steps = [{ tool: "test_noop" }, step, { tool: "test_noop" }];
      const answer = await bench.call("workflow_eval", { steps, input: { a: { b: 1 }, list: [0] } });
      // What cannot be read at all is refused before anything runs.
      const error = answer.isError ? answer.text : JSON.stringify(answer.value.steps);
      expect(error).toContain("invalid_input");
      expect(error).toContain(expression.replaceAll('"', '\\"'));
    },
  );

  test("iterates over a value that is not a list, or over too long a list", async () => {
    await open();
    const inner = [{ tool: "test_noop" }];
    expect((await middle({ forEach: "${input}", steps: inner })).entry).toMatchObject({
      error: { code: "invalid_input" },
    });
    const { value } = await bench.call("workflow_eval", {
      steps: [
        { id: "range", tool: "test_range", params: { value: 10_001 } },
        { forEach: "${steps.range.items}", steps: inner },
      ],
    });
    expect(value.steps).toMatchObject([{ error: { code: "too_large" } }]);
  });
});

test("a result of 50 MB is kept whole, and returned as a handle", async () => {
  await open();
  const steps = [
    { id: "big", tool: "test_big" },
    { id: "size", tool: "test_echo", params: { value: "${size(steps.big.text)}" } },
    { id: "again", tool: "test_big" },
  ];
  const answer = await bench.call("workflow_eval", { steps });
  const { report } = answer.value;
  expect(answer.value).toMatchObject({
    status: "ok",
    handle: expect.stringMatching(/^relay:\/\/[a-z2-7]{20}$/) as string,
  });
  expect(answer.text.length).toBeLessThan(4_500);
  const first = await bench.call("workflow_report", { report, step: "big" });
  expect(first.value["result"]).toMatchObject({ size: 50_000_000, offset: 0, next: 20_000 });
  const last = await bench.call("workflow_report", { report, step: "big", offset: 49_999_991 });
  expect(last.value["result"]).toMatchObject({ text: "ééééééééé" });
});

test("a long result is returned exactly, with any characters", async () => {
  await open();
  const { report } = (await bench.call("workflow_eval", { steps: [{ id: "long", tool: "test_long" }] })).value;
  let text = "";
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { value } = await bench.call("workflow_report", { report, step: "long", offset });
    const piece = value["result"] as { text: string; next?: number };
    text += piece.text;
    offset = piece.next;
  }
  expect(text).toBe(`start ${"é\u0000😀".repeat(10_000)} end`);
});

test("forEach over 10,000 items runs each item and keeps every result", async () => {
  await open();
  const answer = await bench.call("workflow_eval", {
    steps: [
      { id: "range", tool: "test_range", params: { value: 10_000 } },
      {
        id: "each",
        forEach: "${steps.range.items}",
        concurrency: 20,
        steps: [{ tool: "test_echo", params: { value: "${item}" } }],
      },
    ],
  });
  expect(answer.value).toMatchObject({ status: "ok", counts: { ok: 10_002 } });
  const report = await bench.call("workflow_report");
  expect(report.value["more"]).toBe(10_002 - 200);
  const { value } = await bench.call("workflow_report", { step: "each/9876/each_1" });
  expect(value["result"]).toMatchObject({ text: '{"value":9876}' });
});

describe("a run that is cancelled", () => {
  test("stops at the next await, and its report is cancelled", async () => {
    await open();
    const cancel = new AbortController();
    const steps = [
      { id: "a", tool: "test_noop" },
      { id: "b", tool: "test_deaf", params: { ms: 3_000 } },
      { id: "c", tool: "test_write" },
    ];
    const started = performance.now();
    const running = bench.call("workflow_eval", { steps }, { signal: cancel.signal });
    running.catch(() => {});
    await expect.poll(() => bench.done.calls.join()).toContain("test_deaf");
    cancel.abort();
    await expect(running).rejects.toThrow();
    const report = async () => (await bench.call("workflow_report")).value;
    await expect.poll(async () => (await report())["status"], { timeout: 5_000 }).toBe("cancelled");
    expect(performance.now() - started).toBeLessThan(2_000);
    const value = await report();
    expect(value).toMatchObject({ status: "cancelled", counts: { ok: 1, failed: 1, skipped: 1 } });
    expect(value.steps).toMatchObject([
      { status: "ok" },
      { error: { code: "cancelled" } },
      { reason: "the run was cancelled" },
    ]);
    expect(bench.done.calls).not.toContain("test_write");
  });

  test("is resumed at the first step that did not finish", async () => {
    await open({
      definitions: {
        slow: { steps: [{ tool: "test_write" }, { tool: "test_slow", params: { ms: 1_000 } }, { tool: "test_noop" }] },
      },
    });
    const cancel = new AbortController();
    const running = bench.call("workflow_run", { name: "slow" }, { signal: cancel.signal }).catch(() => {});
    await expect.poll(() => bench.done.calls, { timeout: 10_000, interval: 5 }).toContain("test_slow");
    cancel.abort();
    await running;
    await bench.dispatcher.idle();
    const before = (await bench.call("workflow_report")).value;
    const answer = await bench.call("workflow_run", { resume: before.report });
    expect(answer.value).toMatchObject({ status: "ok", counts: { cached: 1, ok: 2 } });
    expect(bench.done.calls).toEqual(["test_write", "test_slow", "test_slow", "test_noop"]);
    const again = await bench.call("workflow_run", { resume: before.report });
    expect(again.text).toContain(`conflict: resume: report ${before.report} was resumed already`);
    expect((await bench.call("workflow_run", { resume: answer.value.report })).text).toContain(
      "there is nothing to resume",
    );
  });

  test("is resumed with the steps inside others that failed while the rest went on", async () => {
    await open();
    const bad = { tool: "test_flaky", onError: "continue" };
    const steps = [
      {
        id: "both",
        parallel: [
          { ...bad, id: "bad" },
          { id: "good", tool: "test_write" },
        ],
      },
      { id: "each", forEach: [1], steps: [bad] },
      { id: "after", tool: "test_echo", params: { value: "${steps.good.wrote}" } },
    ];
    bench.done.failures = 2;
    const first = await bench.call("workflow_eval", { steps });
    expect(first.text).toContain("2 failed");
    const report = /report (\w+)/.exec(first.text)?.[1];
    const { value } = await bench.call("workflow_run", { resume: report });
    expect(value).toMatchObject({ status: "ok", counts: { cached: 2, ok: 4 } });
    const ran = (name: string) => bench.done.calls.filter((call) => call.startsWith(name)).length;
    expect([ran("test_flaky"), ran("test_write"), ran("test_echo")]).toEqual([4, 1, 1]);
  });
});

describe("expressions", () => {
  const evaluate = async (expression: string, input: object = {}) => {
    const { value, text } = await bench.call("workflow_eval", {
      steps: [{ step: "value", params: { it: `\${${expression}}` } }],
      input,
    });
    return (value["result"] as { it?: unknown } | undefined)?.it ?? text;
  };

  test("keep the type of a single reference, and count with JSON numbers", async () => {
    await open();
    expect(await evaluate("input.n", { n: 1.5 })).toBe(1.5);
    expect(await evaluate("input.n + 1", { n: 1 })).toBe(2);
    expect(await evaluate("size(input.l) * 0.5", { l: [1] })).toBe(0.5);
    expect(await evaluate("{'a': [1, 'x', null]}")).toEqual({ a: [1, "x", null] });
    expect(
      await evaluate("input.l.filter(x, x.on).map(x, x.n).join(', ')", {
        l: [
          { on: true, n: "a" },
          { on: false, n: "b" },
        ],
      }),
    ).toBe("a");
  });

  test.each([
    "input.constructor",
    "input.__proto__",
    "input.toString",
    "steps.constructor",
    "process",
    "globalThis",
    "input.l.length",
    "input.l.map(x, x.constructor)",
  ])("do not reach %s", async (expression) => {
    await open();
    expect(await evaluate(expression, { l: ["a"] })).toMatch(/invalid_input/);
  });

  test.each(["input.l.map(a, input.l.map(b, a + b))", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('(a+)+$')"])(
    "are stopped if they do not end: %s",
    async (expression) => {
      await open();
      const started = performance.now();
      expect(await evaluate(expression, { l: Array.from({ length: 9_000 }, (_, at) => at) })).toContain(
        "it took too long",
      );
      expect(performance.now() - started).toBeLessThan(3_000);
    },
  );

  test.each([
    "input.l.map(a, input.l.map(b, input.l.map(c, 1)))",
    "cel.bind(a, 1, a)",
    `${"(".repeat(60)}1${")".repeat(60)}`,
  ])("are refused if they could grow without limit: %s", async (expression) => {
    await open();
    expect(await evaluate(expression, { l: [] })).toContain("invalid_input");
  });
});
