import { createHash } from "node:crypto";
import { defineKind, type Query, type Store } from "@toolpacks/core";
import { everyRecord, type TextEmbedder } from "@toolpacks/store";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { openPlace, type StorePlace, type StoreUnderTest } from "../store-place.ts";

const fact = defineKind({
  name: "contract_fact",
  schema: z.object({ text: z.string(), about: z.string().optional(), count: z.number().optional() }),
  indexes: ["about"],
  text: ["text"],
  meaning: ["text"],
});

/** Groups of words with one meaning, each with 384 random signs. */
const meanings = [
  ["dog", "puppy", "hound"],
  ["car", "vehicle"],
  ["rain", "umbrella", "wet"],
  ["money", "invoice"],
].map((words) => ({ words, signs: createHash("sha384").update(String(words)).digest() }));

/** An embedder of a few words. Texts with words of one group are near, and texts without any have no vector. */
function embedder(options: Partial<TextEmbedder> = {}) {
  const texts: string[] = [];
  const embed: TextEmbedder["embed"] = async (wanted) => {
    texts.push(...wanted);
    return wanted.map((text) => {
      const vector = new Float32Array(384);
      const words = text.split(/\W+/);
      for (const { signs } of meanings.filter((meaning) => meaning.words.some((word) => words.includes(word)))) {
        for (let at = 0; at < 384; at += 1) {
          // A text has some signs of its own.
          const isOwn = at % 16 === text.length % 16;
          const isSet = (((signs[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
          vector[at] = (vector[at] ?? 0) + (isSet === isOwn ? -1 : 1);
        }
      }
      return vector;
    });
  };
  return { texts, load: async (): Promise<TextEmbedder> => ({ name: "few-words", embed, ...options }) };
}

async function found(store: Store, text: string, query: Query = {}): Promise<readonly string[]> {
  const { items } = await store.query(fact, { text, match: "any", ...query });
  return items.map(({ id }) => id);
}

async function putFacts(store: Store): Promise<void> {
  const facts = {
    pet: "The dog sleeps.",
    ride: "Her vehicle is red.",
    sky: "It is wet outside.",
    other: "Nothing else.",
  };
  for (const [id, text] of Object.entries(facts)) await store.put(fact, { text }, { id });
}

/** Records that are found by their meaning. */
export function meaningTests({ create }: StoreUnderTest): void {
  const openWith = async (options: Partial<TextEmbedder> = {}) => {
    const open = await openPlace(create);
    const { load, texts } = embedder(options);
    return { open, texts, store: open({ meaning: [load] }) };
  };
  const openBare = (open: StorePlace["open"]) => open({ meaning: [] });

  test("finds a record without a word of the query by its meaning, and among others as one list", async () => {
    const { store } = await openWith();
    await putFacts(store);
    expect(await found(store, "puppy")).toEqual(["pet"]);
    expect(await found(store, "nothing", { near: "a car" })).toEqual(expect.arrayContaining(["ride", "other"]));
    expect((await found(store, "red umbrella")).toSorted()).toEqual(["ride", "sky"]);
    expect((await store.query(fact, { text: "puppy", match: "any" })).total).toBe(1);
    expect(await found(store, "unknown words")).toEqual([]);
    expect((await store.query(fact, { text: "puppy" })).total).toBe(0);
    expect((await store.query(fact, { text: "puppy", match: "any", limit: 0 })).total).toBe(0);
  });

  test("the nearest of several is first, and a record with the words is before one that is only near", async () => {
    const { store } = await openWith();
    await store.put(fact, { text: "The hound is here and has an invoice too" }, { id: "both" });
    await store.put(fact, { text: "The puppy barks." }, { id: "near" });
    expect((await found(store, "dog"))[0]).toBe("near");
    await store.put(fact, { text: "A dog barks." }, { id: "exact" });
    expect((await found(store, "dog"))[0]).toBe("exact");
  });

  test("follows each edit, close, reopen and delete, also of a store without vectors", async () => {
    const { open, store } = await openWith();
    const bare = openBare(open);
    for (const writer of [store, bare]) {
      await store.put(fact, { text: "The dog sleeps." }, { id: "a" });
      expect(await found(store, "puppy")).toEqual(["a"]);
      await writer.put(fact, { text: "The car is fast." }, { id: "a" });
      expect(await found(store, "puppy")).toEqual([]);
      await vi.waitFor(async () => expect(await found(store, "vehicle")).toEqual(["a"]), { timeout: 5_000 });
      await writer.put(fact, { count: 1 }, { id: "a", patch: true });
      await vi.waitFor(async () => expect(await found(store, "vehicle")).toEqual(["a"]), { timeout: 5_000 });
      await writer.close(fact, "a");
      expect(await found(store, "vehicle")).toEqual([]);
      await vi.waitFor(async () => expect(await found(store, "vehicle", { includeClosed: true })).toEqual(["a"]), {
        timeout: 5_000,
      });
      await writer.reopen(fact, "a");
      await vi.waitFor(async () => expect(await found(store, "vehicle")).toEqual(["a"]), { timeout: 5_000 });
      expect(await found(store, "vehicle", { includeClosed: true })).toEqual(["a"]);
      await writer.delete(fact, "a");
      expect(await found(store, "vehicle", { includeClosed: true })).toEqual([]);
    }
    expect(await store.check()).toEqual([]);
  });

  test("an undone write leaves the vector as it was", async () => {
    const { store } = await openWith();
    await store.put(fact, { text: "The dog sleeps." }, { id: "a" });
    const undone = store.transaction(async (inside) => {
      await inside.put(fact, { text: "The car is fast." }, { id: "a" });
      expect(await found(inside, "vehicle")).toEqual(["a"]);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect([await found(store, "vehicle"), await found(store, "puppy")]).toEqual([[], ["a"]]);
  });

  test("respects the filter, the workspace, and the change feed", async () => {
    const { store } = await openWith();
    await store.put(fact, { text: "The dog sleeps.", about: "x" }, { id: "a" });
    const { generation } = await store.put(fact, { text: "A hound runs.", about: "y" }, { id: "b" });
    await store.in("elsewhere").put(fact, { text: "Their dog barks." }, { id: "c" });
    const both = (ids: readonly string[]) => ids.toSorted();
    expect(await found(store, "puppy", { filter: { about: "x" } })).toEqual(["a"]);
    expect(both(await found(store, "puppy"))).toEqual(["a", "b"]);
    expect(both(await found(store, "puppy", { everyWorkspace: true }))).toEqual(["a", "b", "c"]);
    expect(await found(store.in("elsewhere"), "puppy")).toEqual(["c"]);
    expect(await found(store, "puppy", { sinceGeneration: generation - 1 })).toEqual(["b"]);
  });

  test("pages neither repeat nor lose a record", async () => {
    const { store } = await openWith();
    const ids: string[] = [];
    await store.transaction(async (inside) => {
      for (let at = 0; at < 60; at += 1) {
        const text = [`The dog number ${at}.`, `A puppy of ${at}.`, `Some words, ${at}.`][at % 3] ?? "";
        ids.push((await inside.put(fact, { text })).id);
      }
    });
    const query = { text: "dog words", match: "any", pageSize: 7 } as const;
    const seen: string[] = [];
    for await (const { id } of everyRecord(store, fact, query)) {
      seen.push(id);
      if (seen.length % 14 === 0)
        await store.put(fact, { text: `Other words, ${seen.length}.` }, { id: `new${seen.length}` });
    }
    expect(seen.filter((id) => !id.startsWith("new")).toSorted()).toEqual(ids.toSorted());
    expect(new Set(seen).size).toBe(seen.length);
    const { total, cursor } = await store.query(fact, { text: "puppy", match: "any", limit: 30 });
    expect(total).toBeGreaterThan(30);
    expect(cursor).toBeDefined();
  });

  test("without an embedder, or while it fails, queries go by words, and vectors are made later", async () => {
    const open = await openPlace(create);
    const bare = openBare(open);
    await putFacts(bare);
    expect([await found(bare, "dog"), await found(bare, "puppy")]).toEqual([["pet"], []]);
    const { load } = embedder();
    let works = false;
    const store = open({ meaning: [async () => (works ? load() : Promise.reject(new Error("not installed")))] });
    await store.put(fact, { text: "The hound runs." }, { id: "late" });
    expect(await found(store, "puppy")).toEqual([]);
    works = true;
    await vi.waitFor(async () => expect((await found(store, "puppy")).toSorted()).toEqual(["late", "pet"]), {
      timeout: 5_000,
    });
  });

  test("a slow embedder makes vectors in the background, and the next one is used until they are complete", async () => {
    const open = await openPlace(create);
    const [fast, slow] = [embedder(), embedder({ name: "slow", isSlow: true })];
    await putFacts(open({ meaning: [fast.load] }));
    const store = open({ meaning: [slow.load, fast.load] });
    expect(await found(store, "puppy")).toEqual(["pet"]);
    expect(slow.texts).not.toContain("puppy");
    await vi.waitFor(async () => {
      expect(await found(store, "puppy")).toEqual(["pet"]);
      expect(slow.texts).toContain("puppy");
    });
    await store.put(fact, { text: "A hound runs." }, { id: "new" });
    await vi.waitFor(async () => expect((await found(store, "puppy")).toSorted()).toEqual(["new", "pet"]), {
      timeout: 5_000,
    });
    expect(slow.texts.filter((text) => text === "The dog sleeps.")).toHaveLength(1);
  });

  test("vectors of another name are made anew, by a fill that another process continues where one has ended", async () => {
    const open = await openPlace(create);
    const count = 1_000;
    const older = open({ meaning: [embedder().load] });
    await older.transaction(async (inside) => {
      for (let at = 0; at < count; at += 1)
        await inside.put(fact, { text: at === 0 ? "The dog sleeps." : `The car ${at}.` }, { id: `f${at}` });
    });
    expect(await found(older, "puppy")).toEqual(["f0"]);
    const first = embedder({ name: "newer" });
    const ending = open({
      meaning: [
        async () => {
          const { name, embed } = await first.load();
          return {
            name,
            embed: async (texts) => (first.texts.length < 300 ? embed(texts) : Promise.reject(new Error("away"))),
          };
        },
      ],
    });
    await found(ending, "puppy");
    await vi.waitFor(() => expect(first.texts.length).toBeGreaterThanOrEqual(300), { timeout: 10_000 });
    await ending.end();
    const second = embedder({ name: "newer" });
    const store = open({ meaning: [second.load] });
    await vi.waitFor(async () => expect(await found(store, "puppy")).toEqual(["f0"]), { timeout: 10_000 });
    expect(second.texts).not.toContain("The dog sleeps.");
    expect(second.texts.filter((text) => text !== "puppy").length).toBeLessThanOrEqual(count - 200);
    expect(await found(older, "puppy")).toEqual(["f0"]);
  });

  test("an import gets its vectors", async () => {
    const { open, store } = await openWith();
    await putFacts(store);
    const lines = await Array.fromAsync(store.export());
    await store.import(
      lines.map((line) => ("id" in line && line.id === "pet" ? { ...line, data: { text: "A car." } } : line)),
    );
    await vi.waitFor(async () => expect((await found(store, "vehicle")).toSorted()).toEqual(["pet", "ride"]), {
      timeout: 5_000,
    });
    expect(await found(store, "puppy")).toEqual([]);
    expect(await found(openBare(open), "puppy")).toEqual([]);
  });
}
