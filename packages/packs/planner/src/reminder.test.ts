import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { reminder } from "./reminder.ts";

let store = sqlite("");
beforeEach(() => {
  store = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "reminder-")), "store.db"));
  return () => store.end();
});

describe("a reminder that repeats", () => {
  test("is followed by the next one of its series when it is closed", async () => {
    await store.put(reminder, { text: "Water", due: "2099-01-05T09:00:00+01:00", repeat: "FREQ=WEEKLY" }, { id: "r" });
    const closed = await store.close(reminder, "r", "did it");
    expect(closed.data).toMatchObject({ due: "2099-01-05T08:00:00.000Z", note: "did it", next: "r.2" });
    expect((await store.query(reminder)).items.map(({ id, data }) => [id, data.due])).toEqual([
      ["r.2", "2099-01-12T08:00:00.000Z"],
    ]);
    await store.close(reminder, "r.2");
    expect((await store.query(reminder)).items.map(({ id }) => id)).toEqual(["r.3"]);
  });

  test("is closed once, also after several calls", async () => {
    await store.put(reminder, { text: "Water", due: "2099-01-05", repeat: "FREQ=DAILY" }, { id: "r" });
    await store.close(reminder, "r");
    await store.close(reminder, "r");
    expect((await store.query(reminder)).items.map(({ id, data }) => [id, data.due])).toEqual([["r.2", "2099-01-06"]]);
  });

  test("skips the times in the past", async () => {
    await store.put(reminder, { text: "Water", due: "2020-01-01", repeat: "FREQ=DAILY" }, { id: "r" });
    await store.close(reminder, "r");
    const next = (await store.query(reminder)).items[0]?.data.due ?? "";
    expect(Date.parse(next)).toBeGreaterThan(Date.now());
    expect(Date.parse(next)).toBeLessThanOrEqual(Date.now() + 86_400_000);
  });

  test("ends with its COUNT", async () => {
    await store.put(reminder, { text: "Water", due: "2099-01-05", repeat: "FREQ=DAILY;COUNT=2" }, { id: "r" });
    await store.close(reminder, "r");
    await store.close(reminder, "r.2");
    expect((await store.query(reminder)).total).toBe(0);
  });

  test("moves with its due time", async () => {
    await store.put(reminder, { text: "Water", due: "2099-01-05", repeat: "FREQ=WEEKLY" }, { id: "r" });
    await store.put(reminder, { due: "2099-01-06" }, { id: "r", patch: true });
    await store.close(reminder, "r");
    expect((await store.query(reminder)).items[0]?.data.due).toBe("2099-01-13");
  });

  test("keeps a next one that was changed while this one was reopened", async () => {
    await store.put(reminder, { text: "Water", due: "2099-01-05", repeat: "FREQ=DAILY" }, { id: "r" });
    await store.close(reminder, "r");
    await store.put(reminder, { text: "Water twice" }, { id: "r.2", patch: true });
    await store.reopen(reminder, "r");
    await store.close(reminder, "r");
    expect((await store.get(reminder, "r.2"))?.data.text).toBe("Water twice");
  });
});

describe("the next one of a series", () => {
  test("has another id if the next id is too long", async () => {
    const id = "x".repeat(200);
    await store.put(reminder, { text: "Water", due: "2099-01-05", repeat: "FREQ=DAILY" }, { id });
    const { data } = await store.close(reminder, id);
    const next = data.next ?? "";
    expect((await store.get(reminder, next))?.data).toMatchObject({ due: "2099-01-06", series: id });
    await store.reopen(reminder, id);
    expect((await store.close(reminder, id)).data.next).toBe(next);
    await store.close(reminder, next);
    expect((await store.query(reminder)).items.map(({ data: { due } }) => due)).toEqual(["2099-01-07"]);
  });

  test("is not another record with its id", async () => {
    await store.put(reminder, { text: "unrelated", due: "2098-01-01" }, { id: "v1.3" });
    await store.put(reminder, { text: "unrelated", due: "2098-01-01" }, { id: "v1.2.3" });
    await store.put(reminder, { text: "series", due: "2099-01-01", repeat: "FREQ=DAILY" }, { id: "v1.2" });
    expect((await store.close(reminder, "v1.2")).data.next).toBe("v1.2.2");
    const third = (await store.close(reminder, "v1.2.2")).data.next ?? "";
    expect(["v1.3", "v1.2.3"]).not.toContain(third);
    expect((await store.get(reminder, third))?.data).toMatchObject({ text: "series", due: "2099-01-03" });
    expect((await store.get(reminder, "v1.2.3"))?.data.text).toBe("unrelated");
  });
});

test("a reminder that does not repeat ends when it is closed", async () => {
  await store.put(reminder, { text: "Call", due: "2099-01-05T09:00:00Z" }, { id: "r" });
  expect((await store.close(reminder, "r")).data).not.toHaveProperty("next");
  expect((await store.query(reminder)).total).toBe(0);
});
