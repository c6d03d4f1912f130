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

  test("is closed once, however often it is said", async () => {
    await store.put(reminder, { text: "Water", due: "2099-01-05", repeat: "FREQ=DAILY" }, { id: "r" });
    await store.close(reminder, "r");
    await store.close(reminder, "r");
    expect((await store.query(reminder)).items.map(({ id, data }) => [id, data.due])).toEqual([["r.2", "2099-01-06"]]);
  });

  test("skips the times that went by", async () => {
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

  test("keeps a next one that somebody changed while this one was open again", async () => {
    await store.put(reminder, { text: "Water", due: "2099-01-05", repeat: "FREQ=DAILY" }, { id: "r" });
    await store.close(reminder, "r");
    await store.put(reminder, { text: "Water twice" }, { id: "r.2", patch: true });
    await store.reopen(reminder, "r");
    await store.close(reminder, "r");
    expect((await store.get(reminder, "r.2"))?.data.text).toBe("Water twice");
  });
});

test.each(["FREQ=SECONDLY", "FREQ=WEEKLY;INTERVAL=0", "every day", "FREQ=DAILY;BYDAY=XX"])(
  "%s is refused, and nothing is written",
  async (repeat) => {
    const put = store.put(reminder, { text: "x", due: "2099-01-05", repeat });
    await expect(put).rejects.toMatchObject({ code: "invalid_input", message: expect.stringMatching(/^repeat: /) });
    expect(await store.generation()).toBe(0);
  },
);

test("one that does not repeat ends when it is closed", async () => {
  await store.put(reminder, { text: "Call", due: "2099-01-05T09:00:00Z" }, { id: "r" });
  expect((await store.close(reminder, "r")).data).not.toHaveProperty("next");
  expect((await store.query(reminder)).total).toBe(0);
});
