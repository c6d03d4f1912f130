import type { Store } from "@toolpacks/core";
import { beforeEach, expect, test } from "vitest";
import { conversation, type Conversation } from "../pack.fixture.ts";
import { exportGraph } from "./export-graph.ts";
import { importGraph } from "./import-graph.ts";

let talk: Conversation;
beforeEach(() => {
  talk = conversation();
  return () => talk.end();
});
const ask: Conversation["ask"] = (...call) => talk.ask(...call);

async function exported(): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportGraph(talk.store)) lines.push(line);
  return lines;
}

/** Names and texts that break careless handling of objects, quotes or scripts. */
const file = [
  { type: "entity", name: "Anna Lindqvist", entityType: "person", observations: ["Lives in Lund", 'Speaks "Skånska"'] },
  { type: "entity", name: "__proto__", entityType: "", observations: ["constructor"] },
  { type: "entity", name: "שלום 🦜", entityType: "تحية", observations: [] },
  { type: "entity", name: "x > 5", entityType: "rule", observations: ["x > 5", "x < 5"] },
  { type: "relation", from: "Anna Lindqvist", to: "__proto__", relationType: "knows" },
  { type: "relation", from: "__proto__", to: "Anna Lindqvist", relationType: "is known by" },
].map((line) => JSON.stringify(line));

test("a file of the official memory server is imported whole and exported unchanged", async () => {
  expect(await importGraph(talk.store, file)).toEqual({ entities: 4, observations: 5, relations: 2, known: 0 });
  expect(await exported()).toEqual(file);
  expect(await ask("memory_recall", { query: "where does Anna live?" })).toContain(
    "Lives in Lund (about Anna Lindqvist)",
  );
  expect(await importGraph(talk.store, file)).toEqual({ entities: 0, observations: 0, relations: 0, known: 11 });
  expect(await exported()).toEqual(file);
});

test("relations may come first, and may name entities that the file does not describe", async () => {
  const relation = '{"type":"relation","from":"a","to":"b","relationType":"owns"}';
  expect(await importGraph(talk.store, [relation, "", "  "])).toEqual({
    entities: 2,
    observations: 0,
    relations: 1,
    known: 0,
  });
  expect(await ask("memory_graph", { entity: "a" })).toBe("a\nb\na -[owns]-> b");
});

test("forgotten and superseded observations are not exported; observations about no entity go to notes", async () => {
  const old = (await ask("memory_remember", { text: "The port is 80." })).slice(0, 16);
  await ask("memory_remember", { text: "The port is 8080.", supersedes: old });
  await ask("memory_remember", { entity: "Ben", observations: ["Gone."] });
  await ask("memory_forget", { entity: "Ben" });
  const notes = { type: "entity", name: "notes", entityType: "notes", observations: ["The port is 8080."] };
  expect(await exported()).toEqual([JSON.stringify(notes)]);
  await ask("memory_remember", { entity: "notes", type: "list", observations: ["First."] });
  const merged = { type: "entity", name: "notes", entityType: "list", observations: ["First.", "The port is 8080."] };
  expect(await exported()).toEqual([JSON.stringify(merged)]);
});

test("an observation about several entities goes to the first that is not forgotten", async () => {
  const about = ["Anna", "Ben", "Cleo"];
  await ask("memory_remember", { text: "They share an office.", about });
  await ask("memory_forget", { entity: "Anna" });
  expect(await exported()).toEqual([
    JSON.stringify({ type: "entity", name: "Ben", entityType: "", observations: ["They share an office."] }),
    JSON.stringify({ type: "entity", name: "Cleo", entityType: "", observations: [] }),
  ]);
});

test("an observation about forgotten entities only goes to notes while recall finds it", async () => {
  const both = ["Anna", "Ben"];
  await ask("memory_remember", { text: "They share an office.", about: both });
  for (const entity of both) await ask("memory_forget", { entity });
  expect(await ask("memory_recall", { query: "office" })).toContain("They share an office.");
  const notes = { type: "entity", name: "notes", entityType: "notes", observations: ["They share an office."] };
  expect(await exported()).toEqual([JSON.stringify(notes)]);
});

test("an export reads few large texts at a time", async () => {
  const observations = Array.from({ length: 250 }, (_, at) => `Fact ${at}.`);
  const lines = [JSON.stringify({ type: "entity", name: "facts", entityType: "", observations })];
  await importGraph(talk.store, lines);
  const pages: number[] = [];
  const query: Store["query"] = async (kind, asked) => {
    const page = await talk.store.query(kind, asked);
    if (kind.name === "observation") pages.push(page.items.length);
    return page;
  };
  expect(await Array.fromAsync(exportGraph({ query }))).toEqual(lines);
  expect(pages).toEqual([100, 100, 50]);
});

test.each([
  ["no JSON", "{", "line 2: expected JSON"],
  ["another type", '{"type":"thing"}', "line 2: type"],
  ["a missing field", '{"type":"entity","name":"x"}', "line 2: entityType"],
])("%s is refused with its line number, and nothing is written", async (_what, line, message) => {
  const lines = [file[0] ?? "", line];
  await expect(importGraph(talk.store, lines)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(message) as string,
  });
  expect(await exported()).toEqual([]);
});
