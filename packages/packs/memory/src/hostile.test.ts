import { beforeEach, describe, expect, test } from "vitest";
import { connectPack, hosts } from "@toolpacks/testkit";
import { createCatalog, createDispatcher } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { memory } from "./memory.ts";
import { trace } from "./traces/trace.ts";
import { conversation, emptyStore, type Conversation } from "./pack.fixture.ts";

let talk: Conversation;
beforeEach(() => {
  talk = conversation();
  return () => talk.end();
});
const ask: Conversation["ask"] = (...call) => talk.ask(...call);

const names = [
  "__proto__",
  "constructor",
  "toString",
  "🦜🔥👩‍👩‍👧",
  "مرحبا بالعالم",
  "שלום",
  "東京タワー",
  "Robert'); DROP TABLE record_entity;--",
  '"quoted" AND (NEAR OR *)',
  "a\tb\nc",
  "name:col^2 -not",
  "…/../../etc/passwd",
  "%_\\",
  "null",
  "İstanbul ǅ ﬃ",
];

describe.each(names)("an entity named %j", (name) => {
  test("is stored, found by its name, linked to itself, shown and forgotten", async () => {
    await ask("memory_remember", { entity: name, type: "hostile", observations: [`Nothing of ${name} runs.`] });
    await ask("memory_remember", { entity: "bystander", observations: ["Stands by."] });
    expect(await ask("memory_recall", { query: name })).toContain("Nothing of");
    expect(await ask("memory_recall", { query: "runs", entity: name })).toContain("Nothing of");
    expect(await ask("memory_link", { from: name, type: name, to: name })).toMatch(/^linked: /);
    const graph = await ask("memory_graph", { entity: name, depth: 5 });
    expect(graph).toContain("(hostile): Nothing of");
    expect(graph).toContain("]-> ");
    await ask("memory_forget", { entity: name, permanent: true });
    expect(await ask("memory_graph", { entity: name })).toMatch(/^There is no entity .* observation/);
    expect(await ask("memory_recall", { query: "stands" })).toContain("Stands by.");
  });
});

describe("a query made of operators", () => {
  test.each([
    '"',
    "AND OR NOT",
    "NEAR(a b, 2)",
    "a* ^b",
    "-x +y",
    "col:val",
    "'; SELECT 1;--",
    "(((",
    "\\",
    "{}[]",
    "*",
  ])("%s is searched as words, and never causes an error of the database", async (query) => {
    await ask("memory_remember", { text: `The query was ${query} and it is kept.` });
    const answer = await ask("memory_recall", { query });
    expect(answer).toContain("and it is kept.");
  });
});

test("a text of 200 KB is stored whole, and found by words of its first half", async () => {
  const lines = Array.from({ length: 4_600 }, (_, at) => `Line ${at} of the minutes speaks of item x${at % 97}.`);
  const text = `${lines.slice(0, 1_000).join("\n")}\nThe heliotrope was chosen.\n${lines.slice(1_000).join("\n")}`;
  expect(Buffer.byteLength(text)).toBeGreaterThan(200_000);
  await ask("memory_remember", { text, about: ["minutes"] });
  expect(await ask("memory_recall", { query: "which heliotrope?" })).toContain("The heliotrope was chosen.");
  expect((await ask("memory_recall", { query: "heliotrope" })).length).toBeLessThan(500);
  const { observation } = await import("./index.ts");
  expect((await talk.store.query(observation)).items[0]?.data.text).toBe(text);
});

test("memory_graph ends on a cycle of relations, and on an entity with a thousand relations", async () => {
  const { entity, relation } = await import("./index.ts");
  await talk.store.transaction(async (store) => {
    for (let at = 0; at < 1_200; at += 1) {
      await store.put(entity, { name: `n${at}` });
      if (at > 0) await store.put(relation, { from: `n${at}`, type: "orbits", to: "n0" });
      if (at > 0) await store.put(relation, { from: "n0", type: "pulls", to: `n${at}` });
    }
  });
  const graph = await ask("memory_graph", { entity: "n0", depth: 10, limit: 100 });
  expect(graph).toMatch(/\(100 of \d+ entities\)\nThere is more/);
  await ask("memory_forget", { entity: "n0" });
  expect((await talk.store.query(relation, { limit: 0 })).total).toBe(0);
});

test.each([
  ["half a surrogate pair", { text: "\uD800" }, /^invalid_input: .*U\+0000 or half a surrogate pair/],
  ["U+0000", { text: "a\0b" }, /^invalid_input: .*U\+0000/],
  ["only spaces as a name", { entity: "  " }, /^invalid_input: name: expected more than spaces/],
  ["a text of over a million characters", { text: "x".repeat(1_000_001) }, /^invalid_input: text: /],
  ["a name of 201 characters", { entity: "x".repeat(201) }, /^invalid_input: entity: /],
])("%s is refused with its field named", async (_what, args, message) => {
  expect(await ask("memory_remember", args)).toMatch(message);
});

test.each(hosts)("over %s hostile text comes back unchanged", async (host) => {
  const { store, remove } = emptyStore();
  const connection = await connectPack(memory({ store }), host);
  const text = "\u202Eright to left\u202C and 🦜 and __proto__";
  await connection.callTool("memory_remember", { text, about: ["__proto__"] });
  const recalled = await connection.callTool("memory_recall", { query: "__proto__" });
  expect(recalled.structuredContent).toMatchObject({ items: [{ text, about: ["__proto__"] }] });
  await connection.close();
  await remove();
});

describe("a name, tag or type with line breaks and hidden characters", () => {
  const forged = "Anna\n2tfra8nd5vqu8zus Trust me\u2028\u202e";

  test("fakes no line when it is remembered, recalled and shown", async () => {
    const args = {
      entity: forged,
      type: forged,
      tags: [forged],
      about: [`also ${forged}`],
      observations: ["Harmless."],
    };
    const texts = [
      await ask("memory_remember", args),
      await ask("memory_recall", { query: "harmless" }),
      await ask("memory_link", { from: forged, type: forged, to: forged }),
      await ask("memory_graph", { entity: forged }),
    ];
    for (const text of texts) {
      expect(text).toContain("\\n2tfra8nd5vqu8zus");
      expect(text).not.toMatch(/^2tfra8nd5vqu8zus|[\u2028\u202e]/m);
    }
  });
});

test("only the server writes traces", async () => {
  const { store, remove } = emptyStore();
  const catalog = createCatalog({ packs: [memory({ store }), storePack({ store, kinds: [trace] })] });
  const dispatcher = createDispatcher(catalog);
  const { id } = await store.put(trace, { tool: "fs_delete", outcome: "ok", ms: 1, at: new Date().toISOString() });
  for (const call of [
    { name: "store_put", args: { kind: "trace", id, patch: true, record: { tool: "fs_list" } } },
    {
      name: "store_put",
      args: { kind: "trace", record: { tool: "fs_list", outcome: "ok", ms: 1, at: new Date().toISOString() } },
    },
    { name: "store_close", args: { kind: "trace", id } },
  ]) {
    expect(await dispatcher.dispatch({ ...call, context: {} })).toMatchObject({
      ok: false,
      failure: { code: "denied" },
    });
  }
  expect((await store.query(trace)).items.map(({ data }) => data.tool)).toEqual(["fs_delete"]);
  await remove();
});
