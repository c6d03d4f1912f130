import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { connectPack, resultText, type PackConnection } from "@toolpacks/testkit";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { note } from "./note.ts";
import { reminder } from "./reminder.ts";

let store = sqlite("");
let connection: PackConnection;

beforeEach(async () => {
  store = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "answers-")), "store.db"));
  connection = await connectPack(storePack({ store, kinds: [note, reminder] }), "sdk 2, protocol 2026-07-28");
});

afterEach(async () => {
  vi.useRealTimers();
  await connection.close();
  await store.end();
});

const ask = async (tool: string, args: Record<string, unknown>) => resultText(await connection.callTool(tool, args));

describe("today's date", () => {
  test("is in each answer about reminders, and follows the clock", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-22T23:05:59Z") });
    const today = "today is 2026-11-22 (Sunday), 23:05 UTC";
    const record = { text: "Call", due: "2026-11-23", repeat: "FREQ=WEEKLY;BYDAY=MO" };
    expect(await ask("store_put", { kind: "reminder", id: "r", record })).toBe(
      `reminder r Call due=2026-11-23 repeat="FREQ=WEEKLY;BYDAY=MO", generation 1; ${today}`,
    );
    expect(await ask("store_query", { kind: "reminder", text: "milk" })).toBe(`none\n${today}`);
    vi.setSystemTime(new Date("2026-11-23T00:01:00Z"));
    expect(await ask("store_query", { kind: "reminder" })).toMatch(
      /^r Call due=2026-11-23 .*\ntoday is 2026-11-23 \(Monday\), 00:01 UTC$/,
    );
    expect(await ask("store_close", { kind: "reminder", id: "r" })).toMatch(/; today is 2026-11-23 \(Monday\)/);
  });

  test("is in no answer about notes", async () => {
    expect(await ask("store_put", { kind: "note", record: { text: "Milk" } })).not.toContain("today");
    expect(await ask("store_query", { kind: "note" })).not.toContain("today");
  });
});

describe("the error of a wrong record", () => {
  test("names the fields that a caller writes with their types, once", async () => {
    const answer = await ask("store_put", { kind: "note", record: { txt: "Milk", tags: "shop" } });
    expect(answer.split("\n")).toEqual([
      expect.stringMatching(
        /^invalid_input: text: required, expected string; tags: .*; txt: unknown field, did you mean text\?$/,
      ),
      "Fields of kind note: text: string, tags?: string[].",
    ]);
  });

  test("shows for each field of a reminder what to write", async () => {
    const answer = await ask("store_put", { kind: "reminder", record: { title: "Milk", when: "monday" } });
    expect(answer).toContain("due: date-time|date (2027-01-31T09:00:00Z, or a date)");
    expect(answer).toContain("repeat?: string (RRULE: FREQ=DAILY or FREQ=WEEKLY;BYDAY=MO,TH or…)");
    expect(answer).not.toMatch(/done|series\?/);
    const misspelt = await ask("store_put", {
      kind: "reminder",
      record: { text: "Milk", due: "2027-01-31", date: "x" },
    });
    expect(misspelt).toMatch(/^invalid_input: date: unknown field\n/);
  });

  test("shows the forms of a recurrence that is none", async () => {
    const record = { text: "Milk", due: "2027-01-31", repeat: "every monday" };
    expect(await ask("store_put", { kind: "reminder", record })).toMatch(
      /^invalid_input: repeat: received "every monday"\nExpected an RRULE: FREQ=DAILY or FREQ=WEEKLY;BYDAY=MO/,
    );
  });
});

test("store_query shows the generation of a record only in a feed and with all fields", async () => {
  await ask("store_put", { kind: "note", id: "n", record: { text: "Milk" } });
  expect(await ask("store_query", { kind: "note", fields: ["text"] })).toBe("n Milk");
  expect(await ask("store_query", { kind: "note", fields: ["id", "closed", "text"] })).toBe("n Milk");
  expect(await ask("store_query", { kind: "note", fields: ["generation"] })).toBe("n generation=1");
  expect(await ask("store_query", { kind: "note", fields: ["*"] })).toBe("n generation=1 Milk");
  expect(await ask("store_query", { kind: "note", sinceGeneration: 0 })).toBe("n generation=1 Milk\ngeneration 1");
});

describe("notes and reminders of a similar meaning", () => {
  const related = "None has all of the words; these have some of them, or a similar meaning.";
  const find = (args: object) => ask("store_query", { kind: "note", ...args });

  test("are shown, and said to be so, where none has all of the words", async () => {
    await ask("store_put", { kind: "note", id: "pet", record: { text: "The puppy barks.", tags: ["home"] } });
    await ask("store_put", { kind: "note", id: "bill", record: { text: "The invoice is paid." } });
    expect(await find({ text: "dog" })).toBe(`pet The puppy barks. tags=["home"]\n${related}`);
    expect(await find({ text: "which invoice of the puppy", sort: ["-id"], limit: 1 })).toMatch(
      /^(pet|bill) .*\nNone has all/,
    );
    expect(await find({ text: "puppy" })).toBe('pet The puppy barks. tags=["home"]');
    for (const args of [{ limit: 0 }, { sinceGeneration: 0 }, { filter: { tags: { contains: "work" } } }])
      expect(await find({ text: "dog", ...args })).toMatch(/^none|^generation/);
    expect(await find({ text: "quantum chromodynamics" })).toBe("none");
    await ask("store_put", { kind: "reminder", id: "vet", record: { text: "Take the puppy", due: "2027-01-31" } });
    const range = { due: { gte: "2027-01-01", lt: "2027-02-01" } };
    expect(await ask("store_query", { kind: "reminder", text: "dog", filter: range })).toContain(
      `vet Take the puppy due=`,
    );
  });

  test("are not searched in a store without vectors", async () => {
    const bare = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "answers-")), "store.db"), { meaning: [] });
    const client = await connectPack(storePack({ store: bare, kinds: [note] }), "sdk 2, protocol 2026-07-28");
    onTestFinished(async () => {
      await client.close();
      await bare.end();
    });
    await bare.put(note, { text: "The puppy barks." });
    expect(resultText(await client.callTool("store_query", { kind: "note", text: "dog" }))).toBe("none");
  });
});
