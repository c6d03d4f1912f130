import { storeValues } from "@toolpacks/relay";
import { serverRelay } from "@toolpacks/relay/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyStore, everythingKept, openBench, type Bench } from "./bench.fixture.ts";
import { removeOldReports } from "./report/report-retention.ts";
import { reportKind, reportStepKind } from "./report/report-kind.ts";

let bench: Bench;
beforeEach(async () => {
  const store = emptyStore();
  const relay = serverRelay({ store });
  bench = await openBench({ store, more: [relay.pack], interceptors: [relay.interceptor] });
});
afterEach(() => bench.close());

const secret = "hunter2";
const long = "x".repeat(30_000);
const get = (value: unknown) => ({ id: "get", tool: "test_echo", params: { value } });

/** Runs a step with a long result, and answers the result's handle. */
async function handleOf(value: unknown): Promise<string> {
  const answer = await bench.call("workflow_eval", { steps: [get(value)] });
  return String(answer.value["handle"]);
}

const idOf = (handle: string) => handle.slice("relay://".length);

const kept = () => everythingKept(bench.store);

describe("a long result", () => {
  test("is returned as a handle, which relay_read, resources and arguments resolve", async () => {
    const handle = await handleOf(long);
    const picked = await bench.call("relay_read", { handle, mode: "pick", pattern: "$.value" });
    expect(picked.text).toContain("x".repeat(7_000));
    const { contents } = await bench.client.readResource({ uri: handle });
    expect(contents).toEqual([{ uri: handle, mimeType: "application/json", text: JSON.stringify({ value: long }) }]);
    await bench.call("test_echo", { value: `${handle}#json=$.value` });
    expect(bench.done.calls.at(-1)).toBe(`test_echo ${JSON.stringify(long)}`);
    const report = await bench.call("workflow_report", { format: "data" });
    expect(report.value["results"]).toEqual({ get: handle });
    const step = await bench.call("workflow_report", { step: "get" });
    expect(step.value["result"]).toMatchObject({ size: 30_012, next: 20_000 });
  });

  test("opens only in its workspace and for its principal", async () => {
    const { store, surface } = bench;
    const handle = await handleOf(long);
    const infoIn = (values: ReturnType<typeof storeValues>) => values.info(idOf(handle));
    expect(await infoIn(storeValues({ store }))).toMatchObject({ size: 30_012 });
    expect(await infoIn(storeValues({ store: store.in("elsewhere") }))).toBeUndefined();
    const as = (sub: string) => ({ auth: { token: "t", extra: { sub } } });
    const args = { steps: [get(long)] };
    const ran = await surface.dispatcher.dispatch({ name: "workflow_eval", args, context: as("ann") });
    const annas = (ran as { value?: { handle?: string } }).value?.handle;
    const read = async (context: object) =>
      surface.dispatcher.dispatch({ name: "relay_read", args: { handle: annas, mode: "length" }, context });
    expect(await read(as("ann"))).toMatchObject({ ok: true });
    for (const context of [as("bob"), {}]) {
      expect(await read(context)).toMatchObject({ ok: false, failure: { code: "not_found" } });
    }
  });

  test("is kept as long as its report: the relay does not remove it", async () => {
    const { store } = bench;
    const handle = await handleOf(long);
    const values = storeValues({ store, maxAgeHours: 0, maxBytes: 1 });
    await values.sweep();
    expect(await values.info(idOf(handle))).toBeDefined();
    await removeOldReports(store, { keep: 0, days: 1 });
    expect(await store.query(reportKind)).toMatchObject({ total: 0 });
    expect(await values.info(idOf(handle))).toBeUndefined();
    expect(await kept()).not.toContain("xxx");
  });

  test("is read without its secrets, also while a resumed run needs them", async () => {
    bench.done.failures = 1;
    const use = { id: "use", tool: "test_write", params: { value: "${steps.get.value.password}" } };
    const steps = [get({ password: secret, long }), { tool: "test_flaky" }, use];
    const failed = await bench.call("workflow_eval", { steps });
    const [{ handle } = { handle: "" }] = failed.value["succeeded"] as { handle: string }[];
    const { contents } = await bench.client.readResource({ uri: handle });
    expect(JSON.stringify(contents)).toContain("***");
    expect(JSON.stringify(contents)).not.toContain(secret);
    const raw = await bench.call("relay_read", { handle: `${handle}:raw` });
    expect(raw).toMatchObject({ isError: true, text: expect.stringMatching(/^not_found: /) as string });
    expect(await kept()).toContain(secret);
    const resumed = await bench.call("workflow_run", { resume: failed.value.report });
    expect(resumed.value["status"]).toBe("ok");
    expect(bench.done.calls.at(-1)).toBe(`test_write "${secret}"`);
    // The tool's own result named it, which is no password by its form.
    expect(await kept()).not.toMatch(/password\W+hunter2/);
    expect((await bench.call("relay_read", { handle })).text).toContain("***");
  });
});

test("a report that another program wrote opens only results of reports", async () => {
  const { store } = bench;
  const input = { data: JSON.stringify("of another principal"), mimeType: "application/json", text: true };
  const { id } = await storeValues({ store, scope: "ann" }).put(input);
  const { value } = await bench.call("workflow_eval", { steps: [{ id: "put", tool: "test_write" }] });
  const [step] = (await store.query(reportStepKind, { filter: { report: value.report ?? "" } })).items;
  const entry = JSON.stringify({ ...(JSON.parse(step?.data.entry ?? "") as object), handle: `relay://${id}` });
  await store.put(reportStepKind, { entry, result: null }, { id: step?.id ?? "", patch: true });
  const answer = await bench.call("workflow_report", { step: "put" });
  expect(answer).toMatchObject({ isError: true, text: `not_found: relay://${id}: no result has this handle` });
});
