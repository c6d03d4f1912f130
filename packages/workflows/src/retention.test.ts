import { storePack } from "@toolpacks/core/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyStore, openBench, type Bench } from "./bench.fixture.ts";
import { reportKind } from "./report/report-kind.ts";
import { reportPartKind, reportStepKind } from "./report/kept-kinds.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({
    definitions: { stuck: { steps: [{ tool: "test_long" }, { tool: "test_flaky" }] } },
    workflows: { reports: { keep: 3 } },
  });
});
afterEach(() => bench.close());

const evaluate = async (...steps: object[]) => (await bench.call("workflow_eval", { steps })).value.report;
const kept = async () => (await bench.store.query(reportKind)).items.map(({ data }) => data.run);

describe("reports", () => {
  test("go when there are more than are kept, with all that belongs to them", async () => {
    const first = await evaluate({ tool: "test_long" }, { forEach: [1, 2, 3], steps: [{ tool: "test_write" }] });
    expect((await bench.store.query(reportStepKind)).total).toBe(5);
    expect((await bench.store.query(reportPartKind)).total).toBeGreaterThan(0);
    const later = [];
    for (let at = 0; at < 3; at += 1) later.push(await evaluate({ tool: "test_noop" }));
    await expect.poll(kept, { timeout: 5_000 }).toEqual(later);
    expect((await bench.store.query(reportStepKind)).total).toBe(0);
    expect((await bench.store.query(reportPartKind)).total).toBe(0);
    const gone = await bench.call("workflow_report", { generation: first });
    expect(gone.text).toContain(`not_found: generation: there is no report ${first}`);
    expect((await bench.call("workflow_report")).value.report).toBe(later.at(-1));
  });

  test("are written by runs alone, so that a run is gone on with from what happened", async () => {
    await bench.close();
    const store = emptyStore();
    bench = await openBench({ store, more: [storePack({ store, kinds: [reportKind] })] });
    bench.done.failures = 1;
    const steps = [{ tool: "test_write" }, { tool: "test_flaky" }];
    const id = String(await evaluate(...steps));
    const forged = {
      kind: "report",
      id,
      patch: true,
      record: { plan: '{"source":{"steps":[{"tool":"test_break"}]}}' },
    };
    const put = await bench.call("store_put", forged);
    expect(put).toMatchObject({ isError: true, text: expect.stringMatching(/^denied: .*\nstore_query reads them\.$/) });
    expect((await bench.call("store_close", { kind: "report", id })).text).toMatch(/^denied: /);
    const inside = await bench.call("workflow_eval", { steps: [{ tool: "store_put", params: forged }] });
    expect(inside.value.steps?.[0]).toMatchObject({ error: { code: "denied" } });
    expect((await bench.call("store_query", { kind: "report", filter: { status: "failed" } })).text).toContain(id);
    const resumed = await bench.call("workflow_run", { resume: Number(id) });
    expect(resumed.value["status"]).toBe("ok");
    expect(bench.done.calls).toEqual(["test_write", "test_flaky", "test_flaky"]);
  });

  test("go when they are too old", async () => {
    const report = await evaluate({ tool: "test_write" });
    await bench.store.put(reportKind, { started: "2020-01-01T00:00:00.000Z" }, { id: String(report), patch: true });
    const later = await evaluate({ tool: "test_write" });
    await expect.poll(kept, { timeout: 5_000 }).toEqual([later]);
  });

  test("stay while the run that went on with them is kept, whose results may lie there", async () => {
    bench.done.failures = 1;
    const stuck = (await bench.call("workflow_run", { name: "stuck" })).value.report;
    const resumed = (await bench.call("workflow_run", { resume: stuck })).value.report;
    const later = [await evaluate({ tool: "test_noop" }), await evaluate({ tool: "test_write" })];
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await kept()).toEqual([stuck, resumed, ...later]);
    const result = await bench.call("workflow_report", { generation: resumed, step: "step1" });
    expect(result.value).toMatchObject({ result: { step: "step1" } });
    later.push(await evaluate({ tool: "test_write" }));
    await expect.poll(kept, { timeout: 5_000 }).not.toContain(resumed);
    later.push(await evaluate({ tool: "test_write" }));
    await expect.poll(kept, { timeout: 5_000 }).toEqual(later.slice(-3));
    expect((await bench.store.query(reportPartKind)).total).toBe(0);
  });
});
