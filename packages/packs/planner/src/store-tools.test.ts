import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, renderFailure } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { fuzzPack, packContract, type ExampleCalls, type PackUnderTest } from "@toolpacks/testkit";
import { describe, expect, test } from "vitest";
import { note } from "./note.ts";
import { reminder } from "./reminder.ts";

const kinds = [note, reminder];

function emptyStore() {
  return sqlite(path.join(mkdtempSync(path.join(tmpdir(), "planner-")), "store.db"));
}

/** The generic store tools over this pack's kinds. */
async function storeUnderTest(): Promise<PackUnderTest> {
  const store = emptyStore();
  await store.put(note, { text: "kept" }, { id: "n1" });
  await store.put(reminder, { text: "kept", due: "2027-01-01" }, { id: "r1" });
  return {
    pack: storePack({ store, kinds }),
    fingerprint: async () => String(await store.generation()),
    dispose: () => store.end(),
  };
}

const examples: ExampleCalls = {
  store_put: [
    { kind: "note", record: { text: "one", tags: ["a"] } },
    { kind: "note", record: { text: "two" }, id: "n1", ifGeneration: 1, operationId: "o1" },
    { kind: "note", record: { tags: null }, id: "n1", patch: true },
  ],
  store_query: [
    { kind: "note" },
    { kind: "note", text: "kept", limit: 1, fields: ["*"] },
    { kind: "reminder", filter: { due: { gte: "2026" } }, sort: ["-due"], includeClosed: true },
    { kind: "note", sinceGeneration: 0 },
  ],
  store_close: [{ kind: "note", id: "n1", note: "old" }],
};

packContract(storeUnderTest, { examples, snapshots: "../snapshots/store" });

test("every store tool returns a result or an error with a known code for 3,000 generated arguments", async () => {
  expect(await fuzzPack(storeUnderTest, { runs: 3_000, seed: 30_000, examples })).toEqual([]);
}, 300_000);

describe("the text for a model:", () => {
  async function conversation() {
    const store = emptyStore();
    const dispatcher = createDispatcher(createCatalog({ packs: [storePack({ store, kinds })] }));
    const ask = async (name: string, args: unknown) => {
      const outcome = await dispatcher.dispatch({ name, args });
      if (!outcome.ok) return renderFailure(outcome.failure);
      return [outcome.text, ...(outcome.notice === undefined ? [] : [outcome.notice])].join("\n");
    };
    return { ask, store };
  }

  test("a put record is one line with its id and generation", async () => {
    const { ask } = await conversation();
    expect(await ask("store_put", { kind: "note", id: "n1", record: { text: "Milk", tags: ["shop"] } })).toBe(
      'note n1 Milk tags=["shop"], generation 1',
    );
  });

  test("a misspelt field to show is rejected with its name", async () => {
    const { ask } = await conversation();
    expect(await ask("store_query", { kind: "reminder", fields: ["txt"] })).toBe(
      'invalid_input: fields: a reminder has no field "txt", did you mean text?\nIt has text, due, repeat, start, done, note, next, series.',
    );
    expect(await ask("store_query", { kind: "reminder", filter: { closed: true } })).toContain(
      "Closed records come with includeClosed.",
    );
  });

  test("a bad record names each wrong field", async () => {
    const { ask } = await conversation();
    expect(await ask("store_put", { kind: "reminder", record: { txt: "x", due: "soon" } })).toBe(
      [
        "invalid_input: text: required, expected string; due: expected a date, or an ISO 8601 time with its zone: 2027-01-31T09:00:00Z; txt: unknown field, did you mean text?",
        "Fields of kind reminder: text: string, due: date-time|date (2027-01-31T09:00:00Z, or a date), repeat?: string (RRULE: FREQ=DAILY or FREQ=WEEKLY;BYDAY=MO,TH or…), start?: date-time|date (of a series: its first due; default due).",
      ].join("\n"),
    );
  });

  test("the text of closing a note is stored, and found", async () => {
    const { ask } = await conversation();
    await ask("store_put", { kind: "note", id: "n1", record: { text: "Call the bank" } });
    expect(await ask("store_close", { kind: "note", id: "n1", note: "the outcome" })).toBe(
      'note n1 Call the bank note="the outcome" (closed), generation 2',
    );
    expect(await ask("store_query", { kind: "note", text: "outcome", includeClosed: true })).toContain("n1");
  });

  test("the error for a wrong part of a recurrence names the accepted values", async () => {
    const { ask, store } = await conversation();
    const put = (repeat: string) =>
      ask("store_put", { kind: "reminder", record: { text: "x", due: "2027-01-04", repeat } });
    expect(await put("FREQ=DAILY;BYMONTH=13")).toBe(
      'invalid_input: repeat: BYMONTH: expected numbers from 1 to 12, received "13"\n' +
        "Expected an RRULE: FREQ=DAILY or FREQ=WEEKLY;BYDAY=MO,TH or FREQ=MONTHLY;BYMONTHDAY=-1 (the last day of each month) or FREQ=MONTHLY;BYDAY=1FR.",
    );
    expect(await put("FREQ=DAILY;TZID=Europe/Berlin")).toMatch(
      /^invalid_input: repeat: "TZID" is not a part of a reminder's recurrence \(accepted: FREQ, INTERVAL, /,
    );
    expect(await store.generation()).toBe(0);
  });

  test("an unknown kind names the known ones", async () => {
    const { ask } = await conversation();
    expect(await ask("store_query", { kind: "notes" })).toBe(
      'not_found: kind: there is no kind "notes", did you mean note?\nKinds: note, reminder.',
    );
  });

  test("the error for a field without an index names the indexed ones", async () => {
    const { ask } = await conversation();
    expect(await ask("store_query", { kind: "reminder", filter: { text: "x" } })).toBe(
      'invalid_input: filter: "text" is not an indexed field of kind reminder\nIndexed: id, due, repeat. Search text with text.',
    );
  });

  test("the error for an outdated generation has the current one", async () => {
    const { ask, store } = await conversation();
    await store.put(note, { text: "one" }, { id: "n1" });
    await store.put(note, { text: "two" }, { id: "n1" });
    const answer = await ask("store_put", { kind: "note", id: "n1", record: { text: "three" }, ifGeneration: 1 });
    expect(answer).toMatch(/^conflict: note n1: its generation is 2, not 1\n/);
  });

  test("more than 20 are shown as 5, with the total and a cursor that leads through all of them", async () => {
    const { ask, store } = await conversation();
    for (let at = 1; at <= 23; at += 1) await store.put(note, { text: `note ${at}` }, { id: `n${at}` });
    const first = await ask("store_query", { kind: "note" });
    expect(first.split("\n").slice(0, 6)).toEqual([
      "n1 note 1",
      "n2 note 2",
      "n3 note 3",
      "n4 note 4",
      "n5 note 5",
      "(5 of 23)",
    ]);
    const cursor = /next: cursor "([^"]+)"/.exec(first)?.[1];
    const second = await ask("store_query", { kind: "note", limit: 100, cursor });
    expect(second.split("\n")).toEqual([
      ...Array.from({ length: 18 }, (_, at) => `n${at + 6} note ${at + 6}`),
      "(18 of 23)",
    ]);
  });

  test("20 records are all shown", async () => {
    const { ask, store } = await conversation();
    for (let at = 1; at <= 20; at += 1) await store.put(note, { text: `note ${at}` });
    expect((await ask("store_query", { kind: "note" })).split("\n")).toHaveLength(20);
  });

  test("changes since a generation include the next generation to ask from, also on an empty page", async () => {
    const { ask, store } = await conversation();
    await store.put(note, { text: "one" }, { id: "n1" });
    await store.put(note, { text: "two" }, { id: "n2" });
    const since = (sinceGeneration: number, more: object = {}) =>
      ask("store_query", { kind: "note", sinceGeneration, ...more });
    expect(await since(1)).toBe("n2 generation=2 two\ngeneration 2");
    expect(await since(0, { limit: 1 })).toMatch(/^n1 generation=1 one\n\(1 of 2\)\nnext: cursor ".*"\ngeneration 2$/);
    await store.put(reminder, { text: "Call", due: "2027-01-01" });
    expect(await since(2)).toBe("generation 3");
    expect(await ask("store_query", { kind: "note" })).not.toContain("generation");
  });
});
