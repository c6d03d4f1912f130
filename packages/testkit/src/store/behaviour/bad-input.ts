import type { Query } from "@toolpacks/core";
import { expect, test } from "vitest";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

const wrongQueries: readonly (readonly [unknown, RegExp])[] = [
  [{ filter: { body: "x" } }, /"body" is not an indexed field.*/],
  [{ filter: { prioritty: 1 } }, /did you mean priority/],
  [{ filter: { status: 5 } }, /filter\.status: expected a string, received 5/],
  [{ filter: { priority: "high" } }, /filter\.priority: expected a number/],
  [{ filter: { done: { gt: true } } }, /done is a boolean/],
  [{ filter: { labels: "x" } }, /labels is an array/],
  [{ filter: { status: { contains: "x" } } }, /status is not an array/],
  [{ filter: { status: { like: "x" } } }, /expected a value, null, or one of/],
  [{ filter: { status: {} } }, /expected a value, null, or one of/],
  [{ filter: { status: ["open"] } }, /filter\.status: expected a string/],
  [{ filter: { due: { exists: "yes" } } }, /exists: expected true or false/],
  [{ filter: { status: { in: "open" } } }, /in: expected an array/],
  [{ filter: { status: "\0" } }, /filter\.status: expected a string/],
  [{ filter: { or: { status: "x" } } }, /filter\.or: expected an array of filters/],
  [{ filter: { not: "x" } }, /filter\.not: expected an object/],
  [{ filter: { and: Array.from({ length: 201 }, () => ({ status: "x" })) } }, /more than 200 conditions/],
  [{ filter: JSON.parse(`${'{"not":'.repeat(20)}{}${"}".repeat(20)}`) as unknown }, /nested more than 8 deep/],
  [{ sort: ["body"] }, /sort: "body" is not an indexed field/],
  [{ sort: ["labels"] }, /sort: labels is an array/],
  [{ sort: ["id", "status", "due", "done", "priority"] }, /at most 4/],
  [{ limit: -1 }, /limit: expected a whole number/],
  [{ limit: 1001 }, /limit: expected a whole number from 0 to 1000/],
  [{ sinceGeneration: 1.5 }, /sinceGeneration: expected/],
  [{ text: " .,; " }, /text: expected at least one word/],
  [{ cursor: "" }, /cursor: expected one that an earlier page gave/],
  [{ cursor: "%%%" }, /cursor: expected/],
  [{ cursor: Buffer.from('["aaaaaa",[1]]').toString("base64url") }, /cursor: it belongs to another query/],
];

/** What is refused, and that the store is as before. */
export function badInputTests({ fresh }: StoreUnderTest): void {
  test.each(wrongQueries)("the query %j is refused by name", async (query, message) => {
    const store = fresh();
    await expect(store.query(task, query as Query)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(message),
    });
  });

  test("a field that is not indexed is refused with the list of those that are", async () => {
    const failing = fresh().query(task, { filter: { extra: 1 } });
    await expect(failing).rejects.toMatchObject({
      hint: expect.stringMatching(/^Indexed: id, status, priority, done, labels/),
    });
  });

  test("a forged place in a cursor of the right query is refused, and harms nothing", async () => {
    const store = fresh();
    for (let at = 0; at < 5; at += 1) await store.put(task, { title: `word ${at}` });
    for (const query of [{ sort: ["status"] }, { text: "word" }, {}]) {
      const { cursor = "" } = await store.query(task, { ...query, limit: 1 });
      const [mark] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [string];
      const places = [
        null,
        "x",
        [],
        ["a", "b"],
        [{}],
        ["'; DROP TABLE x", "y"],
        Array.from({ length: 9_000 }, () => "1"),
      ];
      for (const place of places) {
        const forged = Buffer.from(JSON.stringify([mark, place])).toString("base64url");
        await expect(store.query(task, { ...query, cursor: forged })).rejects.toMatchObject({ code: "invalid_input" });
      }
    }
    expect((await store.query(task)).total).toBe(5);
  });

  const wrongRecords: readonly (readonly [string, unknown, RegExp])[] = [
    ["nothing that is needed", {}, /title: required/],
    ["several wrong fields", { title: 5, priority: "x", foo: 1 }, /title: .*priority: .*foo: unknown field/],
    ["no object", "text", /record: expected/],
    ["U+0000", { title: "a\0b" }, /title: holds U\+0000/],
    ["half a surrogate pair", { title: "ok", extra: { deep: ["\ud83d"] } }, /extra: holds U\+0000 or half/],
  ];
  test.each(wrongRecords)("a record with %s is refused by name, and nothing is written", async (_, record, message) => {
    const store = fresh();
    const generation = await store.generation();
    await expect(store.put(task, record as never)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(message),
    });
    expect(await store.generation()).toBe(generation);
  });

  test("an indexed string longer than an index can hold is refused", async () => {
    const store = fresh();
    await expect(store.put(task, { title: "x", status: "é".repeat(600) })).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("status"),
    });
    const status = "é".repeat(500);
    await store.put(task, { title: "x", status, due: status, labels: [status] });
    expect((await store.query(task, { filter: { status, due: status, labels: { contains: status } } })).total).toBe(1);
  });

  test.each([
    [{ id: "" }, /^id: expected/],
    [{ id: "a\nb" }, /^id: expected/],
    [{ id: "x".repeat(201) }, /^id: expected/],
    [{ ifGeneration: -1 }, /^ifGeneration: expected/],
    [{ operationId: "" }, /^operationId: expected/],
    [{ patch: true }, /^id: required to patch/],
  ])("put options %j are refused by name", async (options, message) => {
    await expect(fresh().put(task, { title: "x" }, options as never)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(message),
    });
  });

  test("any other text is an id", async () => {
    const store = fresh();
    for (const id of ["ä ö/../x", "'; --", "👍", "0", "true", "%", "x".repeat(200)]) {
      await store.put(task, { title: id }, { id });
      expect((await store.get(task, id))?.data.title).toBe(id);
    }
  });
}
