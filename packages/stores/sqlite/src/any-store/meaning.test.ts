import { createHash } from "node:crypto";
import path from "node:path";
import { defineKind, type Query, type Store } from "@toolpacks/core";
import type { TextEmbedder } from "@toolpacks/store";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { sqlite, type SqliteOptions } from "../index.ts";
import { scratchFolder } from "../scratch-folder.fixture.ts";

const fact = defineKind({ name: "fact", schema: z.object({ text: z.string() }), text: ["text"], meaning: ["text"] });

/** Groups of words with one meaning, each with 384 random signs. */
const meanings = [
  ["dog", "puppy", "hound"],
  ["car", "vehicle"],
  ["money", "invoice"],
].map((words) => ({
  words,
  signs: createHash("sha384").update(String(words)).digest(),
}));

/** An embedder of a few words, and the texts that it got. The fewer other words a text has, the nearer it is to one of them. */
function embedder(options: Partial<TextEmbedder> = {}) {
  const texts: string[] = [];
  const embed: TextEmbedder["embed"] = async (wanted) => {
    texts.push(...wanted);
    return wanted.map((text) => {
      const words = text.split(/\W+/);
      const known = meanings.filter((meaning) => meaning.words.some((word) => words.includes(word)));
      const sum = (at: number) =>
        known.reduce((total, { signs }) => total + 2 * (((signs[at >> 3] ?? 0) >> (at & 7)) & 1) - 1, 0);
      return Float32Array.from({ length: 384 }, (_, at) => sum(at));
    });
  };
  return { texts, load: async (): Promise<TextEmbedder> => ({ name: "few-words", embed, ...options }) };
}

/** Returns a function that opens stores on one file. They end with the test. */
function newFile() {
  const file = path.join(scratchFolder(), "store.db");
  return (meaning?: SqliteOptions["meaning"]) => {
    const store = sqlite(file, meaning && { meaning });
    onTestFinished(() => store.end());
    return store;
  };
}

async function found(store: Store, text: string, query: Query = {}): Promise<readonly string[]> {
  const { items } = await store.query(fact, { text, match: "any", ...query });
  return items.map(({ id }) => id);
}

function finds(store: Store, text: string, ids: readonly string[]): Promise<void> {
  return vi.waitFor(async () => expect((await found(store, text)).toSorted()).toEqual(ids), { timeout: 10_000 });
}

test("the table of word vectors is the default", async () => {
  const store = newFile()();
  await store.put(fact, { text: "The puppy barks." }, { id: "pet" });
  await store.put(fact, { text: "The invoice is paid." }, { id: "money" });
  expect(await found(store, "dog")).toEqual(["pet"]);
  expect(await found(newFile()([]), "dog")).toEqual([]);
});

test("the nearest of several is first, and one with the words is before one that is only near", async () => {
  const store = newFile()([embedder().load]);
  await store.put(fact, { text: "The hound has an invoice." }, { id: "both" });
  await store.put(fact, { text: "The puppy barks." }, { id: "near" });
  expect(await found(store, "dog")).toEqual(["near", "both"]);
  await store.put(fact, { text: "A dog barks." }, { id: "exact" });
  expect(await found(store, "dog")).toEqual(["exact", "near", "both"]);
  expect(await store.query(fact, { text: "dog", match: "any" })).toMatchObject({ total: 3 });
  expect(await store.query(fact, { text: "dog", match: "any", limit: 0 })).toMatchObject({ total: 1 });
  expect(await store.query(fact, { text: "dog", match: "any", limit: 1 })).toMatchObject({ total: 2 });
});

test("while an embedder fails, queries go by words, and its vectors are made later", async () => {
  let works = false;
  const { load } = embedder();
  const store = newFile()([async () => (works ? load() : Promise.reject(new Error("not installed")))]);
  await store.put(fact, { text: "The hound runs." }, { id: "late" });
  expect([await found(store, "hound"), await found(store, "puppy")]).toEqual([["late"], []]);
  works = true;
  await finds(store, "puppy", ["late"]);
});

test("an embedder of other dimensions counts as failing", async () => {
  const store = newFile()([async () => ({ name: "small", embed: async () => [new Float32Array(100)] })]);
  await store.put(fact, { text: "The hound runs." }, { id: "a" });
  expect(await found(store, "hound")).toEqual(["a"]);
});

test("a slow embedder makes vectors in the background, and the next one is used until they are complete", async () => {
  const [fast, slow] = [embedder(), embedder({ name: "slow", isSlow: true })];
  const open = newFile();
  await open([fast.load]).put(fact, { text: "The dog sleeps." }, { id: "pet" });
  const store = open([slow.load, fast.load]);
  expect(await found(store, "puppy")).toEqual(["pet"]);
  expect(slow.texts).not.toContain("puppy");
  await vi.waitFor(async () => {
    expect(await found(store, "puppy")).toEqual(["pet"]);
    expect(slow.texts).toContain("puppy");
  });
  await store.put(fact, { text: "A hound runs." }, { id: "new" });
  await vi.waitFor(() => expect(slow.texts).toContain("A hound runs."));
  await finds(store, "puppy", ["new", "pet"]);
  await store.close(fact, "pet");
  await store.reopen(fact, "pet");
  await finds(store, "puppy", ["new", "pet"]);
  expect(slow.texts.filter((text) => text === "The dog sleeps.")).toHaveLength(1);
});

test("vectors of another name are made anew, by a fill that another process continues where one has ended", async () => {
  const open = newFile();
  const texts = Array.from({ length: 1_000 }, (_, at) => (at === 0 ? "The dog sleeps." : `The car ${at}.`));
  const older = open([embedder().load]);
  await older.transaction(async (inside) => {
    for (const text of texts) await inside.put(fact, { text }, { id: text });
  });
  const first = embedder({ name: "newer" });
  const { embed } = await first.load();
  const until300: TextEmbedder["embed"] = async (wanted) =>
    first.texts.length < 300 ? embed(wanted) : Promise.reject(new Error("away"));
  const ending = open([async () => ({ name: "newer", embed: until300 })]);
  await found(ending, "puppy");
  await vi.waitFor(() => expect(first.texts.length).toBeGreaterThanOrEqual(300), { timeout: 10_000 });
  await ending.end();
  const second = embedder({ name: "newer" });
  const store = open([second.load]);
  await finds(store, "puppy", ["The dog sleeps."]);
  expect(second.texts).not.toContain("The dog sleeps.");
  expect(second.texts.filter((text) => text.startsWith("The car")).length).toBeLessThanOrEqual(800);
  expect(await found(older, "puppy")).toEqual(["The dog sleeps."]);
});

test("at most three sets of vectors of a kind stay", async () => {
  const open = newFile();
  const names = ["a", "b", "c", "d"];
  for (const name of names)
    await open([embedder({ name }).load]).put(fact, { text: `The dog of ${name}.` }, { id: name });
  const [kept, removed] = [embedder({ name: "b" }), embedder({ name: "a" })];
  for (const { load } of [kept, removed]) await finds(open([load]), "puppy", names);
  expect(kept.texts).not.toContain("The dog of b.");
  expect(removed.texts).toContain("The dog of a.");
});

test("a kind's field of meaning must be a text field", async () => {
  const wrong = defineKind({ name: "wrong", schema: z.object({ text: z.string() }), meaning: ["text"] });
  await expect(newFile()([]).query(wrong)).rejects.toThrow("kind wrong: meaning: text must be a text field");
});

test("a vector of an undone transaction is not found after it", async () => {
  const store = newFile()([embedder().load]);
  await store.put(fact, { text: "car" }, { id: "car" });
  const undone = store.transaction(async (inside) => {
    await inside.put(fact, { text: "dog" }, { id: "dog" });
    expect(await found(inside, "hound")).toContain("dog");
    throw new Error("undo");
  });
  await expect(undone).rejects.toThrow("undo");
  await store.transaction(async (inside) => {
    // It has the age of the undone record.
    await inside.put(fact, { text: "invoice" }, { id: "bill" });
    expect(await found(inside, "hound")).toEqual([]);
    expect(await found(inside, "money")).toEqual(["bill"]);
  });
});
