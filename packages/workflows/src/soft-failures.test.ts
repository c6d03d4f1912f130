import { afterEach, describe, expect, test } from "vitest";
import { openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";

let bench: Bench;
const open = async (options?: BenchOptions) => (bench = await openBench(options));
afterEach(() => bench.close());

const evaluate = (steps: readonly object[], more: object = {}) => bench.call("workflow_eval", { steps, ...more });
const soft = { tool: "test_refuse", onError: "continue" };
const noop = { tool: "test_noop" };

describe("a run whose failed steps all continue", () => {
  test("is ok and no error, and its answer and report count the failures", async () => {
    await open();
    const answer = await evaluate([noop, { ...soft, id: "bad" }, { tool: "test_write" }, noop]);
    expect(answer.isError).toBe(false);
    const { report } = answer.value;
    expect(answer.value).toMatchObject({
      status: "ok",
      counts: { ok: 3, failed: 1 },
      steps: [{ step: "bad", status: "failed", error: { code: "conflict" } }],
      result: { done: true },
    });
    const [head, failed] = answer.text.split("\n");
    expect(head).toBe(`inline ok, report ${report}: 3 ok, 1 failed (continued)`);
    expect(failed).toMatch(/^bad: failed, tool test_refuse.* \| conflict: somebody was faster$/);
    expect(answer.text).toContain(`workflow_run {"resume": "${report}"} runs again what failed.`);
    expect((await bench.call("workflow_report", { report })).text).toContain(
      `report ${report}: inline ok, 3 ok, 1 failed (continued)`,
    );
    const outcome = await bench.dispatcher.dispatch({ name: "workflow_eval", args: { steps: [soft, noop] } });
    expect(outcome.ok).toBe(true);
  });

  test.each([
    ["none succeeded", [soft, soft], {}, { failed: 2 }],
    ["the call says so for all", [{ tool: "test_refuse" }, noop], { onError: "continue" }, { failed: 1, ok: 1 }],
    ["it is a dry run", [soft, noop], { dryRun: true }, { failed: 1, ok: 1 }],
    ["a step inside a loop failed", [{ forEach: [1, 2], steps: [soft, noop] }], {}, { failed: 2, ok: 3 }],
    ["a loop continues", [{ forEach: [1], steps: [noop, { tool: "test_refuse" }], onError: "continue" }, noop], {}, {}],
    ["parallel steps failed", [{ parallel: [soft, noop] }], {}, { failed: 1, ok: 2 }],
    ["a workflow inside it went on", [{ workflow: "inner" }], {}, { failed: 1, ok: 2 }],
    ["a workflow inside it failed", [{ workflow: "hard", onError: "continue" }, noop], {}, { failed: 2, ok: 1 }],
  ])("is no error when %s", async (...[, steps, more, counts]) => {
    const inner = { steps: [{ tool: "test_refuse" }, noop], onError: "continue" as const };
    await open({ definitions: { inner, hard: { steps: [{ tool: "test_refuse" }] } } });
    const { isError, text, value } = await evaluate(steps, more);
    expect([isError, text.split("\n")[0]]).toEqual([false, expect.stringContaining("failed (continued)")]);
    expect(value).toMatchObject({ status: "dryRun" in more ? "dry" : "ok", counts });
  });

  test("is resumed with the failed steps alone, until none fails", async () => {
    await open();
    bench.done.failures = 2;
    const steps = [{ tool: "test_write" }, { tool: "test_flaky", onError: "continue" }, { tool: "test_write" }];
    const first = await evaluate(steps);
    const second = await bench.call("workflow_run", { resume: first.value.report });
    expect(second.value).toMatchObject({ status: "ok", counts: { cached: 2, failed: 1 } });
    const third = await bench.call("workflow_run", { resume: second.value.report });
    expect(third.value).toMatchObject({ status: "ok", counts: { cached: 2, ok: 1 } });
    expect(bench.done.calls.filter((name) => name === "test_write")).toHaveLength(2);
    const fourth = await bench.call("workflow_run", { resume: third.value.report });
    expect(fourth.text).toContain("is ok; there is nothing to resume");
  });
});

test("a run with a failed step that does not continue fails with the error of that step", async () => {
  await open();
  const { isError, text, value } = await evaluate([soft, { id: "bad", tool: "test_break" }, noop]);
  expect(isError).toBe(true);
  expect(value).toMatchObject({ status: "failed", counts: { failed: 2, skipped: 1 } });
  expect(text).toContain(": 2 failed, 1 skipped\n");
  const args = { steps: [soft, { id: "bad", tool: "test_break" }] };
  expect(await bench.dispatcher.dispatch({ name: "workflow_eval", args })).toMatchObject({
    failure: { code: "internal", message: expect.stringContaining("; step bad: internal") as string },
  });
});
