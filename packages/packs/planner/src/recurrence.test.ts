import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { reminder } from "./reminder.ts";

let store = sqlite("");
beforeEach(() => {
  store = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "recurrence-")), "store.db"));
  return async () => {
    await store.end();
  };
});

const date = "2099-01-05";
const time = "2099-01-05T09:00:00.000Z";

describe("a recurrence is rejected, and nothing is written:", () => {
  test.each([
    ["every day", date, /received "every day"/],
    ["FREQ=SECONDLY", date, /FREQ: expected DAILY, WEEKLY, MONTHLY, YEARLY/],
    ["BYDAY=MO", date, /FREQ is missing/],
    ["FREQ=DAILY;FREQ=WEEKLY", date, /twice/],
    ["FREQ=WEEKLY;INTERVAL=0", date, /INTERVAL: expected one number from 1 to 1000/],
    ["FREQ=DAILY;INTERVAL=2.5", date, /INTERVAL/],
    ["FREQ=DAILY;COUNT=-1", date, /COUNT: expected one number from 1 to 10000/],
    ["FREQ=DAILY;UNTIL=garbage", date, /UNTIL: expected 20271231/],
    ["FREQ=DAILY;UNTIL=20271345", date, /UNTIL/],
    ["FREQ=DAILY;BYDAY=XX", date, /BYDAY: expected MO, TU/],
    ["FREQ=WEEKLY;BYDAY=", date, /BYDAY/],
    ["FREQ=WEEKLY;BYDAY=1MO", date, /BYDAY=1MO goes with FREQ=MONTHLY, YEARLY/],
    ["FREQ=DAILY;BYMONTH=13", date, /BYMONTH: expected numbers from 1 to 12, received "13"/],
    ["FREQ=MONTHLY;BYMONTHDAY=0", date, /BYMONTHDAY: .*or -1 to -31 from the end/],
    ["FREQ=YEARLY;BYWEEKNO=60", date, /BYWEEKNO/],
    ["FREQ=DAILY;BYYEARDAY=4", date, /goes with FREQ=YEARLY/],
    ["FREQ=DAILY;BYHOUR=25", time, /BYHOUR: expected one number from 0 to 23/],
    ["FREQ=DAILY;BYHOUR=9,17", time, /BYHOUR: expected one number/],
    ["FREQ=DAILY;BYHOUR=9", date, /BYHOUR names a time of day, and due is a date/],
    ["FREQ=DAILY;BYMINUTE=30", date, /BYMINUTE names a time of day/],
    ["FREQ=DAILY;TZID=Europe/Berlin", time, /"TZID" is not a part/],
    ["FREQ=DAILY;DTSTART=20270101", date, /"DTSTART" is not a part/],
    ["DTSTART:20270101T000000Z\nRRULE:FREQ=DAILY", time, /is not a part/],
    ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", date, /nothing in the next 50 years is a time of it/],
    ["FREQ=MONTHLY;INTERVAL=12;BYMONTH=2", date, /nothing in the next 50 years/],
    ["FREQ=YEARLY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=29", date, /nothing in the next 50 years/],
    ["FREQ=MONTHLY;BYSETPOS=2", date, /nothing in the next 50 years/],
  ])("%j due %s", async (repeat, due, message) => {
    const put = store.put(reminder, { text: "x", due, repeat });
    await expect(put).rejects.toMatchObject({ code: "invalid_input", message: expect.stringMatching(message) });
    await expect(put).rejects.toMatchObject({ message: expect.stringMatching(/^repeat: /) });
    expect(await store.generation()).toBe(0);
  });

  test("a start with a time, with a due that is a date", async () => {
    const put = store.put(reminder, { text: "x", due: date, start: time, repeat: "FREQ=DAILY" });
    await expect(put).rejects.toMatchObject({ code: "invalid_input", message: expect.stringMatching(/^start: /) });
  });
});

describe("the next time after a closing", () => {
  test.each([
    ["freq=daily", date, "2099-01-06"],
    ["RRULE:FREQ=WEEKLY;BYDAY=MO,TH", date, "2099-01-08"],
    ["FREQ=DAILY;BYHOUR=17;BYMINUTE=30", time, "2099-01-05T17:30:00.000Z"],
    ["FREQ=MONTHLY;BYMONTHDAY=31", date, "2099-01-31"],
    ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", date, "2099-01-30"],
    ["FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10", date, "2099-10-25"],
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", date, "2104-02-29"],
    ["FREQ=YEARLY;INTERVAL=1000", date, "3099-01-05"],
    ["FREQ=DAILY;UNTIL=20990105", date, undefined],
  ])("of %s due %s is %s", async (repeat, due, expected) => {
    await store.put(reminder, { text: "x", due, repeat }, { id: "r" });
    const { next } = (await store.close(reminder, "r")).data;
    expect(next && (await store.get(reminder, next))?.data.due).toBe(expected);
  });

  test.each([
    ["FREQ=DAILY;INTERVAL=3", "2080-01-01"],
    ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "1970-01-05"],
    ["FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO;BYSETPOS=-1", "1970-01-07"],
    ["FREQ=MONTHLY", "1970-01-31"],
    ["FREQ=MONTHLY;INTERVAL=5;BYDAY=2TU", "1970-03-10"],
    ["FREQ=YEARLY", "1970-04-30"],
    ["FREQ=YEARLY;INTERVAL=3;BYWEEKNO=20;BYDAY=TH", "1970-05-14"],
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "1972-02-29"],
  ])("of %s is the same as by enumerating all times since its start, %s", async (repeat, start) => {
    const moment = "2099-03-01";
    await store.put(reminder, { text: "x", due: moment, start, repeat }, { id: "near" });
    await store.put(reminder, { text: "x", due: moment, start, repeat: `${repeat};COUNT=10000` }, { id: "counted" });
    await store.close(reminder, "near");
    await store.close(reminder, "counted");
    const [near, counted] = await Promise.all(["near.2", "counted.2"].map((id) => store.get(reminder, id)));
    expect(near?.data.due).toMatch(/^2\d{3}-/);
    expect(near?.data.due).toBe(counted?.data.due);
  });

  test.each([
    ["FREQ=DAILY", "0001-01-01"],
    ["FREQ=DAILY;COUNT=10000", "0001-01-01"],
    ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", "1600-01-01T00:00:00Z"],
    ["FREQ=DAILY", "9999-12-31"],
    ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "2099-01-05"],
    ["FREQ=DAILY;INTERVAL=7;BYDAY=SU", "2099-01-05"],
  ])("of %s from %s on is found soon", async (repeat, due) => {
    const started = performance.now();
    await store
      .put(reminder, { text: "x", due, repeat }, { id: "r" })
      .then(() => store.close(reminder, "r"))
      .catch(() => {});
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
