import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Kind } from "@toolpacks/core";
import { storePack, valueKind, valuePartKind } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyStore, openBench, type Bench } from "./bench.fixture.ts";
import { reportKind, reportStepKind } from "./report/report-kind.ts";

let folder: string;
let bench: Bench;
const open = async () => {
  bench = await openBench({
    store: sqlite(path.join(folder, "store.db")),
    definitions: { stuck: { steps: [{ tool: "test_long" }, { tool: "test_flaky" }] } },
    workflows: { reports: { keep: 3 } },
  });
};
/** Old reports are removed when a store ends. */
const reopen = async () => {
  await bench.close();
  await open();
};
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "retention-"));
  await open();
});
afterEach(async () => {
  await bench.close();
  rmSync(folder, { recursive: true });
});

const evaluate = async (...steps: object[]) => (await bench.call("workflow_eval", { steps })).value.report;
const kept = async () => (await bench.store.query(reportKind)).items.map(({ id }) => id);
const count = async (kind: Kind) => (await bench.store.query(kind)).total;

describe("reports", () => {
  test("are removed with all their values when there are too many", async () => {
    const first = await evaluate({ tool: "test_long" }, { forEach: [1, 2, 3], steps: [{ tool: "test_write" }] });
    expect(await count(reportStepKind)).toBe(5);
    expect(await count(valueKind)).toBe(1);
    const later = [];
    for (let at = 0; at < 3; at += 1) later.push(await evaluate({ tool: "test_noop" }));
    await reopen();
    expect(await kept()).toEqual(later);
    expect(await count(reportStepKind)).toBe(3);
    for (const kind of [valueKind, valuePartKind]) expect(await count(kind)).toBe(0);
    const gone = await bench.call("workflow_report", { report: first });
    expect(gone.text).toContain(`not_found: report: there is no report ${first}`);
    expect((await bench.call("workflow_report")).value.report).toBe(later.at(-1));
  });

  test("are removed from time to time while a server runs", async () => {
    for (let at = 0; at < 250; at += 1) await evaluate({ tool: "test_noop" });
    const keptAfterAnother = async () => {
      await evaluate({ tool: "test_noop" });
      return (await kept()).length;
    };
    await expect.poll(keptAfterAnother, { timeout: 20_000 }).toBeLessThan(100);
  });

  test("are written only by runs", async () => {
    await bench.close();
    const store = emptyStore();
    bench = await openBench({ store, more: [storePack({ store, kinds: [reportKind] })] });
    bench.done.failures = 1;
    const steps = [{ tool: "test_write" }, { tool: "test_flaky" }];
    const id = await evaluate(...steps);
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
    const resumed = await bench.call("workflow_run", { resume: id });
    expect(resumed.value["status"]).toBe("ok");
    expect(bench.done.calls).toEqual(["test_write", "test_flaky", "test_flaky"]);
  });

  test("are removed when they are too old", async () => {
    const report = await evaluate({ tool: "test_write" });
    await bench.store.put(reportKind, { started: "2020-01-01T00:00:00.000Z" }, { id: report ?? "", patch: true });
    const later = await evaluate({ tool: "test_write" });
    await reopen();
    expect(await kept()).toEqual([later]);
  });

  test("stay while the report of a run that resumed them is kept", async () => {
    bench.done.failures = 1;
    const stuck = (await bench.call("workflow_run", { name: "stuck" })).value.report;
    const resumed = (await bench.call("workflow_run", { resume: stuck })).value.report;
    const later = [await evaluate({ tool: "test_noop" }), await evaluate({ tool: "test_write" })];
    await reopen();
    expect(new Set(await kept())).toEqual(new Set([stuck, resumed, ...later]));
    const result = await bench.call("workflow_report", { report: resumed, step: "step1" });
    expect(result.value).toMatchObject({ result: { step: "step1" } });
    later.push(await evaluate({ tool: "test_write" }));
    await reopen();
    expect(await kept()).not.toContain(resumed);
    later.push(await evaluate({ tool: "test_write" }));
    await reopen();
    expect(await kept()).toEqual(later.slice(-3));
    expect(await count(valuePartKind)).toBe(0);
  });
});
