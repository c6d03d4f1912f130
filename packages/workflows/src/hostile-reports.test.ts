import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBench, type Bench } from "./bench.fixture.ts";
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
async function failedRun(): Promise<number> {
  bench.done.failures = 1;
  return (await bench.call("workflow_eval", { steps })).value.report ?? 0;
}

/** Changes a report as an imported archive could. */
const poison = (run: number, record: object) =>
  bench.store.put(reportKind, record as Record<string, never>, { id: String(run), patch: true });

describe("a report that resumes", () => {
  test.each([
    ["itself", 1],
    ["another that resumes it", 3],
  ])("%s can be resumed, and nobody waits forever", async (_, length) => {
    const runs: number[] = [];
    for (let at = 0; at < length; at += 1) runs.push(await failedRun());
    for (const [at, run] of runs.entries()) await poison(run, { resumes: runs[(at + 1) % length] });
    const answer = await bench.call("workflow_run", { resume: runs[0] });
    expect(answer.value).toMatchObject({ status: "ok" });
    for (const run of runs) {
      expect((await bench.store.get(reportKind, String(run)))?.data).toMatchObject({ masked: true });
    }
  });
});
