import { afterEach, describe, expect, test } from "vitest";
import { openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";
import { reportKind, reportStepKind } from "./report/report-kind.ts";

let bench: Bench;
const open = async (options: BenchOptions = {}) => (bench = await openBench({ results: "text", ...options }));
afterEach(() => bench.close());

const run = (code: string, more: object = {}) => bench.call("workflow_eval", { code, ...more });
const resume = (report: unknown, more: object = {}) => bench.call("workflow_run", { resume: report, ...more });
const reportOf = ({ text }: { text: string }) => /report (\w+)/.exec(text)?.[1] ?? "";

describe("a run of a script", () => {
  test("goes on after a failure: what finished is not repeated, and dates and random numbers are the same", async () => {
    await open();
    bench.done.failures = 1;
    const code = `const seen = [Date.now(), Math.random()];
await tools.test_write({ value: 1 });
seen.push(Date.now(), Math.random());
const made = await Promise.all([3, 1, 2].map((value) => tools.test_slow({ ms: value * 20 }).then(() => value)));
try { await tools.test_refuse() } catch (error) { seen.push(error.code) }
await tools.test_write({ value: 2 });
console.log(JSON.stringify(seen));
await tools.test_flaky();
return [seen, made, new Date(seen[0]).getUTCFullYear()];`;
    const failed = await run(code);
    expect(failed.text).toContain("unavailable: not now");
    const printed = /printed: (\[.*\])/.exec(failed.text)?.[1];
    const resumed = await resume(reportOf(failed));
    expect(JSON.parse(resumed.text.split("\n")[0] ?? "")).toEqual(JSON.parse(printed ?? ""));
    expect(resumed.text).toMatch(/\n7 calls, 1 failed \(caught\); report \w+$/);
    expect(bench.done.calls.filter((one) => one.startsWith("test_write"))).toEqual(["test_write 1", "test_write 2"]);
    expect(bench.done.calls.filter((one) => one === "test_refuse")).toHaveLength(1);
    expect(bench.done.calls.filter((one) => one === "test_flaky")).toHaveLength(2);
  });

  test("gets calls that ended side by side in the order in which they ended", async () => {
    await open();
    bench.done.failures = 1;
    const code = `const order = [];
await Promise.all([90, 20, 50].map(async (ms) => {
  await tools.test_slow({ ms });
  order.push((await tools.test_write({ value: ms })).wrote);
}));
await tools.test_flaky();
return order;`;
    const failed = await run(code);
    expect((await resume(reportOf(failed))).text).toMatch(/^\[20,50,90\]/);
    expect(bench.done.calls.filter((one) => one.startsWith("test_write"))).toHaveLength(3);
  });

  test("waits for an answer, and goes on with it, also when it failed after it", async () => {
    await open();
    bench.done.failures = 1;
    const code = `await tools.test_write({ value: "before" });
const { answer } = await ask("Go on?", { choices: ["yes", "no"] });
await tools.test_write({ value: answer });
await tools.test_flaky();
return answer;`;
    const waiting = await run(code);
    expect(waiting.text).toContain("asks: Go on? (yes, no)");
    const failed = await resume(reportOf(waiting), { answer: "yes" });
    expect(failed.text).toContain("unavailable: not now");
    expect((await resume(/failed, report (\w+)/.exec(failed.text)?.[1])).text).toMatch(/^yes\n4 calls; report/);
    expect(bench.done.calls.filter((one) => one.startsWith("test_write"))).toEqual([
      'test_write "before"',
      'test_write "yes"',
    ]);
  });

  test.each([
    ["repeat", 2, '{"wrote":1}'],
    ["skip", 1, "null"],
  ])("asks about a changing call that was under way when its process died: %s", async (answer, times, result) => {
    await open();
    // A failed call of a run whose process died has no entry.
    const failed = await run(
      "const made = await tools.test_write({ value: 1 }); await tools.test_refuse(); return made;",
    );
    const report = reportOf(failed);
    const { items } = await bench.store.query(reportStepKind, { filter: { report } });
    for (const { id } of items) await bench.store.delete(reportStepKind, id);
    const heartbeat = new Date(Date.now() - 120_000).toISOString();
    await bench.store.put(
      reportKind,
      { status: "running", pending: { "code/1": report }, heartbeat },
      { id: report, patch: true },
    );
    expect((await bench.call("workflow_report", { report })).text).toContain("code/1: unknown");
    const asked = await resume(report);
    expect(asked.text).toContain('asks: The process died while test_write was called with {"value":1}');
    const again = await resume(/inline waiting, report (\w+)/.exec(asked.text)?.[1], { answer });
    expect(again.text).toContain("conflict: somebody was faster");
    expect(bench.done.calls.filter((one) => one.startsWith("test_write"))).toHaveLength(times);
    const last = await bench.call("workflow_report", { step: "code/1" });
    expect(last.text).toBe(result);
  });

  test("says where the script goes another way than before", async () => {
    await open();
    const failed = await run(
      'await tools.test_echo({ value: "a" }); await tools.test_write({ value: 1 }); throw new Error("stop");',
    );
    expect(failed.text).toContain("line 1: stop");
    const report = reportOf(failed);
    const { items } = await bench.store.query(reportStepKind, { filter: { report, path: "code/2" } });
    const entry = JSON.parse(items[0]?.data.entry ?? "") as object;
    const other = { ...entry, target: "test_refuse" };
    await bench.store.put(reportStepKind, { entry: JSON.stringify(other) }, { id: items[0]?.id ?? "", patch: true });
    const resumed = await resume(report);
    expect(resumed.text).toContain(
      "conflict: code/2: the script went another way than before: the call is now test_write, and was test_refuse",
    );
    expect(bench.done.calls.filter((one) => one.startsWith("test_write"))).toHaveLength(1);
  });

  test("cannot be resumed with another script", async () => {
    await open();
    const report = reportOf(await run("await tools.test_write({ value: 1 }); await tools.test_refuse();"));
    const head = await bench.store.get(reportKind, report);
    const plan = (head?.data.plan ?? "").replace("test_refuse", "test_noop");
    await bench.store.put(reportKind, { plan }, { id: report, patch: true });
    expect((await resume(report)).text).toContain("the plan of report");
  });

  test("in a dry run lists what it would change, and ends where it needs what it does not have", async () => {
    await open();
    const code = `const { value } = await tools.test_echo({ value: 5 });
const made = await tools.test_write({ value });
await tools.test_write({ value: made });
await tools.test_write({ value: made.wrote });
return "not here";`;
    const { text } = await run(code, { dryRun: true });
    expect(text).toMatch(/^inline dry, report \w+: /);
    expect(text).toMatch(/code\/2: dry, tool test_write.* \| \{"value":5\}/);
    expect(text).toMatch(/code\/3: dry, tool test_write.*it needs a result.* \| \{"value":"<result of call 2>"\}/);
    expect(text).toContain("code: dry, code");
    expect(text).toContain("ended where it reads the result of call 2");
    expect(text).not.toContain("code/4");
    expect(bench.done.calls).toEqual(["test_echo 5"]);
    const whole = await run("await tools.test_write({ value: 1 }); return [1];", { dryRun: true });
    expect(whole.text).toMatch(/code\/1: dry[^]*\n\[1\]$/);
  });
});
