import { defineKind, type Query } from "@toolpacks/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { freshStore } from "./fresh-store.fixture.ts";
import { task } from "./task-kind.fixture.ts";

const wrongQueries: readonly (readonly [unknown, RegExp])[] = [
  [{ filter: { body: "x" } }, /"body" is not an indexed field.*/],
  [{ filter: { prioritty: 1 } }, /did you mean priority/],
  [{ filter: JSON.parse('{"__proto__": {"status": "open"}}') as unknown }, /"__proto__" is not an indexed field.*/],
  [{ filter: { constructor: 1 } }, /"constructor" is not an indexed field.*/],
  [{ filter: { not: { toString: 1 } } }, /"toString" is not an indexed field.*/],
  [{ sort: ["-__proto__"] }, /"__proto__" is not an indexed field.*/],
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
  [{ filter: { labels: { contains: "a\0b" } } }, /contains: expected a string/],
  [{ filter: { labels: { contains: "\ud800" } } }, /contains: expected a string/],
  [{ filter: { generation: { gt: 1.5 } } }, /generation\.gt: expected a whole number/],
  [{ filter: { generation: 1e300 } }, /generation: expected a whole number/],
  [
    { filter: { or: Array.from({ length: 40 }, () => ({ status: { in: Array.from({ length: 1_000 }, String) } })) } },
    /more than 10000 values in all lists/,
  ],
  [{ text: "word", match: "none" }, /match: expected all or any, received "none"/],
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

function nested(levels: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

test.each(wrongQueries)("the query %j is refused with its field named", async (query, message) => {
  const store = freshStore();
  await expect(store.query(task, query as Query)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(message),
  });
});

test("a field without an index is refused with the list of the indexed fields", async () => {
  const failing = freshStore().query(task, { filter: { extra: 1 } });
  await expect(failing).rejects.toMatchObject({
    hint: expect.stringMatching(/^Indexed: id, status, priority, done, labels/),
  });
});

test("a forged position in a cursor of the same query is refused", async () => {
  const store = freshStore();
  for (let at = 0; at < 5; at += 1) await store.put(task, { title: `word ${at}` });
  for (const query of [{ sort: ["status"] }, { text: "word" }, {}]) {
    const { cursor = "" } = await store.query(task, { ...query, limit: 1 });
    const [mark] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [string];
    const positions = [
      null,
      "x",
      [],
      ["a", "b"],
      [{}],
      ["'; DROP TABLE x", "y"],
      [1.5],
      ["a\0b", 1],
      ["a", 1.5],
      [true, 1],
      Array.from({ length: 9_000 }, () => "1"),
    ];
    for (const position of positions) {
      const forged = Buffer.from(JSON.stringify([mark, position])).toString("base64url");
      await expect(store.query(task, { ...query, cursor: forged })).rejects.toMatchObject({ code: "invalid_input" });
    }
  }
  expect((await store.query(task)).total).toBe(5);
});

const wrongRecords: readonly (readonly [string, unknown, RegExp])[] = [
  ["no required field", {}, /title: required/],
  ["several wrong fields", { title: 5, priority: "x", foo: 1 }, /title: .*priority: .*foo: unknown field/],
  ["no object", "text", /record: expected/],
  ["U+0000", { title: "a\0b" }, /title: holds U\+0000/],
  ["too many levels", { title: "ok", extra: nested(5_000) }, /record: expected objects and arrays at most 200/],
  ["half a surrogate pair", { title: "ok", extra: { deep: ["\ud83d"] } }, /extra: holds U\+0000 or half/],
];
test.each(wrongRecords)(
  "a record with %s is refused with its field named, and nothing is written",
  async (_, record, message) => {
    const store = freshStore();
    const generation = await store.generation();
    await expect(store.put(task, record as never)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(message),
    });
    expect(await store.generation()).toBe(generation);
  },
);

test("a record may not name what the store keeps beside it", async () => {
  const loose = defineKind({ name: "contract_loose", schema: z.looseObject({ title: z.string() }) });
  const store = freshStore();
  for (const field of ["id", "generation", "closed", "workspace"]) {
    await expect(store.put(loose, { title: "x", [field]: "x" })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(`^${field}: `),
    });
  }
});

test("a cursor of another kind or workspace is refused", async () => {
  const other = defineKind({ name: "contract_other", schema: z.object({ title: z.string() }) });
  const store = freshStore();
  for (let at = 0; at < 3; at += 1) await store.put(task, { title: `${at}` });
  const { cursor = "" } = await store.query(task, { limit: 1 });
  const refused = { code: "invalid_input", message: expect.stringContaining("another query") };
  await expect(store.query(other, { cursor })).rejects.toMatchObject(refused);
  await expect(store.in("elsewhere").query(task, { cursor })).rejects.toMatchObject(refused);
});

test("an invalid id is refused by get, close, reopen and delete", async () => {
  const store = freshStore();
  for (const ask of [
    () => store.get(task, "a\0b"),
    () => store.close(task, "a\0b"),
    () => store.reopen(task, ""),
    () => store.delete(task, "\ud800"),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: "invalid_input", message: expect.stringMatching(/^id: /) });
  }
});

test.each([
  [{ id: "" }, /^id: expected/],
  [{ id: "a\nb" }, /^id: expected/],
  [{ id: "x".repeat(201) }, /^id: expected/],
  [{ ifGeneration: -1 }, /^ifGeneration: expected/],
  [{ operationId: "" }, /^operationId: expected/],
  [{ patch: true }, /^id: required to patch/],
])("put options %j are refused with the option named", async (options, message) => {
  await expect(freshStore().put(task, { title: "x" }, options as never)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(message),
  });
});
