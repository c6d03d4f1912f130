import { createHash } from "node:crypto";
import { defineKind } from "@toolpacks/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { emptyStore, openBench } from "./bench.fixture.ts";

/** The kinds of reports whose id was a number. */
const oldReport = defineKind({
  name: "report",
  schema: z.looseObject({
    run: z.int(),
    written: z.int(),
    workflow: z.string(),
    status: z.string(),
    started: z.string(),
  }),
  indexes: ["written", ["workflow", "written"], ["status", "written"], "started"],
});
const oldStep = defineKind({
  name: "report_step",
  schema: z.object({ report: z.int(), path: z.string(), order: z.string(), entry: z.string(), result: z.string() }),
  indexes: [
    ["report", "order"],
    ["report", "path"],
  ],
});

const steps = [{ tool: "test_write" }, { tool: "test_flaky" }];

function oldHead(run: number) {
  const time = `2026-01-0${run}T00:00:00.000Z`;
  const plan = JSON.stringify({ source: { steps }, inline: true, options: {} });
  return {
    run,
    written: run,
    workflow: "inline",
    status: "failed",
    started: time,
    heartbeat: time,
    counts: { ok: 1, failed: 1 },
    owner: { host: "a", pid: 1, process: "b" },
    plan,
    planDigest: createHash("sha256")
      .update(JSON.stringify(["inline", plan]))
      .digest("hex"),
  };
}

test("reports with numbers as ids are shown and removed like others, and not resumed", async () => {
  const store = emptyStore();
  for (const run of [1, 2]) {
    await store.put(oldReport, { ...oldHead(run), ...(run === 2 && { resumes: 1 }) }, { id: String(run) });
    const entry = JSON.stringify({ step: "step1", kind: "tool", status: "ok", durationMs: 1, attempts: 1 });
    await store.put(oldStep, { report: run, path: "step1", order: "00000", entry, result: "{}" });
  }
  const bench = await openBench({ store, workflows: { reports: { keep: 1 } } });
  const report = (args: object = {}) => bench.call("workflow_report", args);
  expect((await report()).value).toMatchObject({ report: "1", status: "failed", steps: [] });
  expect((await report({ report: "2" })).text).toMatch(/^unavailable: report "2": the stored record is damaged: /);
  expect((await bench.call("workflow_run", { resume: "1" })).text).toMatch(/^conflict: resume: the plan of report 1 /);
  expect(bench.done.calls).toEqual([]);
  const { value } = await bench.call("workflow_eval", { steps: [{ tool: "test_write" }] });
  expect((await report()).value).toMatchObject({ report: value.report, status: "ok" });
  await expect.poll(async () => (await report({ report: "1" })).text, { timeout: 5_000 }).toMatch(/^not_found: /);
  await bench.close();
});
