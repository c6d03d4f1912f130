import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBench, type Bench } from "./bench.fixture.ts";
import { planDigest } from "./report/plan.ts";
import { reportKind } from "./report/report-kind.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({
    definitions: { safe: { steps: [{ tool: "test_noop" }, { tool: "test_flaky" }] } },
  });
});
afterEach(() => bench.close());

const steps = [{ tool: "test_echo", params: { value: { password: "hunter2" } } }, { tool: "test_flaky" }];

/** A run that failed, which can be resumed. */
async function failedRun(): Promise<string> {
  bench.done.failures = 1;
  return (await bench.call("workflow_eval", { steps })).value.report ?? "";
}

/** Changes a report as an imported archive could. */
const poison = (run: string, record: object) =>
  bench.store.put(reportKind, record as Record<string, never>, { id: run, patch: true });

describe("a report that resumes", () => {
  test.each([
    ["itself", 1],
    ["another that resumes it", 3],
  ])("%s can be resumed, and no call waits without end", async (_, length) => {
    const runs: string[] = [];
    for (let at = 0; at < length; at += 1) runs.push(await failedRun());
    for (const [at, run] of runs.entries()) await poison(run, { resumes: runs[(at + 1) % length] });
    const answer = await bench.call("workflow_run", { resume: runs[0] });
    expect(answer.value).toMatchObject({ status: "ok" });
    for (const run of runs) {
      expect((await bench.store.get(reportKind, run))?.data).toMatchObject({ masked: true });
    }
  });
});

describe("a resumed run runs the steps that its report shows", () => {
  const swapped = (plan: string, steps: object[]) => {
    const before = JSON.parse(plan) as Record<string, unknown>;
    return JSON.stringify({ ...before, inline: true, source: { steps } });
  };
  const planOf = async (run: string) => (await bench.store.get(reportKind, run))?.data.plan ?? "";

  test("and its report shows every step, its parameters and its input", async () => {
    bench.done.failures = 1;
    const given = [
      { id: "break", tool: "test_flaky" },
      { id: "put", tool: "test_write", params: { value: "\n${input.a}" } },
    ];
    const { value } = await bench.call("workflow_eval", { steps: given, input: { a: 1 } });
    const report = await bench.call("workflow_report", { report: value.report });
    expect(report.value["plan"]).toMatchObject({ steps: given, input: { a: 1 } });
    expect(report.text.split("\n").find((line) => line.startsWith("resuming it runs "))).toContain("test_write");
  });

  test.each([
    ["of a configured workflow", async () => (await bench.call("workflow_run", { name: "safe" })).value.report ?? ""],
    ["of steps that came with a call", failedRun],
  ])("and a report %s whose plan was replaced is not resumed", async (_, begin) => {
    bench.done.failures = 1;
    const run = await begin();
    await poison(run, { plan: swapped(await planOf(run), [{ tool: "test_write" }]) });
    const answer = await bench.call("workflow_run", { resume: run });
    expect(answer.text).toContain(
      `conflict: resume: the plan of report ${run} is not the one that it was written with`,
    );
    expect(bench.done.calls).not.toContain("test_write");
  });

  test("and a configured workflow runs no steps of its report, whatever the digest", async () => {
    bench.done.failures = 1;
    const run = (await bench.call("workflow_run", { name: "safe" })).value.report ?? "";
    const plan = swapped(await planOf(run), [{ tool: "test_write" }]);
    await poison(run, { plan, planDigest: planDigest({ id: run, workflow: "safe", plan }) });
    expect((await bench.call("workflow_run", { resume: run })).text).toContain("conflict");
    expect(bench.done.calls).not.toContain("test_write");
  });
});
