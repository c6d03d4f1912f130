import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { connectPack, resultText, type PackConnection } from "@toolpacks/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { note } from "./note.ts";
import { reminder } from "./reminder.ts";

let store = sqlite("");
let connection: PackConnection;

beforeEach(async () => {
  store = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "occurrences-")), "store.db"));
  connection = await connectPack(storePack({ store, kinds: [note, reminder] }), "sdk 2, protocol 2026-07-28");
});

afterEach(async () => {
  await connection.close();
  await store.end();
});

/** The text of an answer without the line of today's date. */
const ask = async (tool: string, args: Record<string, unknown>) =>
  resultText(await connection.callTool(tool, args)).replace(/\ntoday is .*$/, "");
const put = (id: string, record: object) => ask("store_put", { kind: "reminder", id, record: { text: id, ...record } });
const query = async (due: object, more: object = {}) =>
  (await ask("store_query", { kind: "reminder", filter: { due }, sort: ["due"], ...more })).split("\n");

describe("a query of a range of due", () => {
  test("shows each occurrence of a series in the range", async () => {
    await put("weekly", { due: "2099-01-05", repeat: "FREQ=WEEKLY" });
    await put("once", { due: "2099-01-10" });
    await put("yearly", { due: "2099-01-12", repeat: "yearly" });
    expect(await query({ gte: "2099-01-01", lt: "2099-01-26" })).toEqual([
      'weekly weekly due=2099-01-05 repeat="FREQ=WEEKLY" occurrences=["2099-01-05","2099-01-12","2099-01-19"]',
      "once once due=2099-01-10",
      "yearly yearly due=2099-01-12 repeat=yearly",
    ]);
  });

  test("shows a series that is due before the range, but only if it recurs in it", async () => {
    await put("daily", { due: "2001-01-01T09:00:00Z", repeat: "FREQ=DAILY" });
    await put("yearly", { due: "2001-01-01", repeat: "FREQ=YEARLY" });
    await put("ended", { due: "2001-01-01", repeat: "FREQ=DAILY;UNTIL=20990101" });
    await put("late", { due: "2001-01-01" });
    expect(await query({ gt: "2099-03-01", lte: "2099-03-03" })).toEqual([
      'daily daily due=2001-01-01T09:00:00.000Z repeat="FREQ=DAILY" occurrences=["2099-03-01T09:00:00.000Z","2099-03-02T09:00:00.000Z"]',
    ]);
  });

  test("shows the last day of each month", async () => {
    await put("invoices", { due: "2099-01-31", repeat: "FREQ=MONTHLY;BYMONTHDAY=-1" });
    expect((await query({ lt: "2099-05" })).join()).toContain('["2099-01-31","2099-02-28","2099-03-31","2099-04-30"]');
  });

  test("shows at most 50 occurrences of a series, and the rest of the filter holds", async () => {
    await put("daily", { due: "2099-01-01", repeat: "FREQ=DAILY" });
    expect((await query({ lt: "2999" })).join().match(/2\d{3}-\d\d-\d\d/g)).toHaveLength(51);
    const filter = { due: { gte: "2099-02-01", lt: "2099-02-02" }, id: "other" };
    expect(await ask("store_query", { kind: "reminder", filter })).toBe("none");
  });

  test("ends for any bounds", async () => {
    await put("daily", { due: "2001-01-01", repeat: "FREQ=DAILY" });
    for (const due of [
      { gte: "x", lt: "z" },
      { gt: "99999", lte: "zzz" },
      { gte: "9", lt: "A" },
    ]) {
      expect(await query(due)).toEqual(["none"]);
    }
  });

  test("of the next ten days from an overdue start is one call", async () => {
    const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 10);
    await put("daily", { due: days(-3), repeat: "FREQ=DAILY;INTERVAL=5" });
    expect((await query({ gte: days(0), lt: days(10) })).join()).toContain(`["${days(2)}","${days(7)}"]`);
  });
});

test("the error of a wrong recurrence shows the common forms", async () => {
  const answer = await put("monthly", { due: "2099-01-31", repeat: "every month" });
  expect(answer).toContain("FREQ=MONTHLY;BYMONTHDAY=-1 (the last day of each month)");
  expect(answer).toContain("FREQ=WEEKLY;BYDAY=MO");
});
