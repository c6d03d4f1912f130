import { createHash } from "node:crypto";
import { defineKind, type Query, type Store } from "@toolpacks/core";
import { everyRecord, type TextEmbedder } from "@toolpacks/store";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { openPlace, type StoreUnderTest } from "../store-place.ts";

const fact = defineKind({
  name: "contract_fact",
  schema: z.object({ text: z.string(), about: z.string().optional(), count: z.number().optional() }),
  indexes: ["about"],
  text: ["text"],
  meaning: ["text"],
});

/** Words of one meaning, with the signs of their vector. */
const meanings = [
  ["dog", "puppy", "hound"],
  ["car", "vehicle"],
].map((words) => ({ words, signs: createHash("sha384").update(String(words)).digest() }));

/** Knows no other words. */
const embedder: TextEmbedder = {
  name: "few-words",
  embed: async (texts) =>
    texts.map((text) => {
      const signs = meanings.find(({ words }) => words.some((word) => text.includes(word)))?.signs;
      return Float32Array.from(
        { length: 384 },
        (_, at) => (signs && 2 * (((signs[at >> 3] ?? 0) >> (at & 7)) & 1) - 1) || 0,
      );
    }),
};

async function found(store: Store, text: string, query: Query = {}): Promise<readonly string[]> {
  const { items } = await store.query(fact, { text, match: "any", ...query });
  return items.map(({ id }) => id).toSorted();
}

/** Records that are found by their meaning. */
export function meaningTests({ create }: StoreUnderTest): void {
  const openTwo = async () => {
    const open = await openPlace(create);
    return { store: open({ meaning: [async () => embedder] }), bare: open({ meaning: [] }) };
  };

  test("finds records by words and by meaning, if it has an embedder", async () => {
    const { store, bare } = await openTwo();
    await store.put(fact, { text: "The dog sleeps." }, { id: "dog" });
    await store.put(fact, { text: "The red vehicle." }, { id: "car" });
    await store.put(fact, { text: "Something red." }, { id: "red" });
    expect(await found(store, "puppy")).toEqual(["dog"]);
    expect(await found(store, "red puppy")).toEqual(["car", "dog", "red"]);
    expect(await found(store, "red", { near: "a car" })).toEqual(["car", "red"]);
    expect(await found(store, "red puppy", { minSimilarity: 1.1 })).toEqual(["car", "red"]);
    expect(await found(store, "unknown")).toEqual([]);
    expect(await found(store, "puppy", { match: "all" })).toEqual([]);
    expect(await found(bare, "red puppy")).toEqual(["car", "red"]);
  });

  test("follows each edit, close, reopen and delete, also of a store without an embedder", async () => {
    const { store, bare } = await openTwo();
    const finds = (text: string, ids: readonly string[], query?: Query) =>
      vi.waitFor(async () => expect(await found(store, text, query)).toEqual(ids), { timeout: 5_000 });
    for (const writer of [store, bare]) {
      await store.put(fact, { text: "The dog sleeps." }, { id: "a" });
      expect(await found(store, "puppy")).toEqual(["a"]);
      await writer.put(fact, { text: "The car is fast." }, { id: "a" });
      expect(await found(store, "puppy")).toEqual([]);
      await finds("vehicle", ["a"]);
      await writer.put(fact, { count: 1 }, { id: "a", patch: true });
      await writer.close(fact, "a");
      expect(await found(store, "vehicle")).toEqual([]);
      expect(await found(store, "vehicle", { includeClosed: true })).toEqual(["a"]);
      await writer.reopen(fact, "a");
      expect(await found(store, "vehicle")).toEqual(["a"]);
      await writer.delete(fact, "a");
      expect(await found(store, "vehicle", { includeClosed: true })).toEqual([]);
    }
    const undone = store.transaction(async (inside) => {
      await inside.put(fact, { text: "A car." }, { id: "b" });
      expect(await found(inside, "vehicle")).toEqual(["b"]);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await found(store, "vehicle")).toEqual([]);
    expect(await store.check()).toEqual([]);
  });

  test("respects the filter, the workspaces, and the change feed", async () => {
    const { store } = await openTwo();
    await store.put(fact, { text: "The dog sleeps.", about: "x" }, { id: "a" });
    const { generation } = await store.put(fact, { text: "A hound runs.", about: "y" }, { id: "b" });
    await store.in("elsewhere").put(fact, { text: "Their dog barks." }, { id: "c" });
    expect(await found(store, "puppy")).toEqual(["a", "b"]);
    expect(await found(store, "puppy", { filter: { about: "x" } })).toEqual(["a"]);
    expect(await found(store, "puppy", { sinceGeneration: generation - 1 })).toEqual(["b"]);
    expect(await found(store.in("elsewhere"), "puppy")).toEqual(["c"]);
    expect(await found(store, "puppy", { everyWorkspace: true })).toEqual(["a", "b", "c"]);
  });

  test("pages neither repeat nor lose a record", async () => {
    const { store } = await openTwo();
    const ids = Array.from({ length: 60 }, (_, at) => `f${at}`);
    await store.transaction(async (inside) => {
      for (const [at, id] of ids.entries())
        await inside.put(fact, { text: `${["The dog", "A puppy", "Some words"][at % 3]} ${at}` }, { id });
    });
    const seen: string[] = [];
    for await (const { id } of everyRecord(store, fact, { text: "dog words", match: "any", pageSize: 7 })) {
      seen.push(id);
      if (seen.length % 14 === 0) await store.put(fact, { text: "Other words" }, { id: `new${seen.length}` });
    }
    expect(seen.filter((id) => id.startsWith("f")).toSorted()).toEqual(ids.toSorted());
    expect(new Set(seen).size).toBe(seen.length);
    expect((await store.query(fact, { text: "puppy", match: "any", limit: 30 })).total).toBeGreaterThan(30);
  });

  test("imported records get their vectors in the background", async () => {
    const { store, bare } = await openTwo();
    const texts = Array.from({ length: 500 }, (_, at) => (at === 499 ? "The dog sleeps." : `The car ${at}.`));
    await bare.transaction(async (inside) => {
      for (const text of texts) await inside.put(fact, { text }, { id: text });
    });
    await store.import(await Array.fromAsync(bare.export()));
    await vi.waitFor(async () => expect(await found(store, "puppy")).toEqual(["The dog sleeps."]), { timeout: 10_000 });
  });
}
