import { setTimeout as wait } from "node:timers/promises";
import { ToolError, type Store } from "@toolpacks/core";
import { expect, test } from "vitest";
import { emptyStore } from "../bench.fixture.ts";
import { createJournal } from "./journal.ts";
import { reportStepKind } from "./report-kind.ts";
import { createReports } from "./reports.ts";

test("a flush waits for the current write, and writes the entries that it could not write", async () => {
  const kept = emptyStore();
  const held = Promise.withResolvers<never>();
  const holding = Promise.withResolvers<void>();
  let writes = 0;
  const transaction: Store["transaction"] = async (work) => {
    writes += 1;
    if (writes !== 2) return kept.transaction(work);
    holding.resolve();
    return held.promise;
  };
  const store = { ...kept, transaction };
  const reports = createReports(store, { keep: 10, days: 1 }, () => {});
  const journal = createJournal(reports, { workflow: "inline", plan: "{}", caller: "" }, () => {});
  await journal.flush();
  const entry = { step: "a", kind: "tool", status: "ok", durationMs: 0, attempts: 1 } as const;
  await journal.add({ entry, order: "00000", json: "1" }, false);
  await holding.promise;
  const flushed = [journal.flush(), journal.flush()];
  held.reject(new ToolError("unavailable", "not now"));
  await Promise.all(flushed);
  expect((await kept.query(reportStepKind)).total).toBe(1);
  await journal.end({ status: "ok", counts: { ok: 1 } });
  await kept.end();
});

test("a flush replaces the write that follows a call which changed something", async () => {
  const kept = emptyStore();
  let writes = 0;
  const transaction: Store["transaction"] = (work) => {
    writes += 1;
    return kept.transaction(work);
  };
  const reports = createReports({ ...kept, transaction }, { keep: 10, days: 1 }, () => {});
  const journal = createJournal(reports, { workflow: "inline", plan: "{}", caller: "" }, () => {});
  const entry = { step: "a", kind: "tool", status: "ok", durationMs: 0, attempts: 1 } as const;
  journal.begin("a");
  await journal.flush();
  await journal.add({ entry, order: "00000", json: "1" }, false);
  await journal.flush();
  // It is written with the next entry.
  journal.begin("b");
  await wait(30);
  expect(writes).toBe(2);
  await journal.end({ status: "ok", counts: { ok: 1 } });
  await kept.end();
});
