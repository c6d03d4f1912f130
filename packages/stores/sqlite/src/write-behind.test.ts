import { defineKind, ToolError, type OwnedStore, type Store } from "@toolpacks/core";
import { createWriteBehind, type LateWrite } from "@toolpacks/store";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import path from "node:path";
import { z } from "zod";
import { scratchFolder } from "./scratch-folder.fixture.ts";
import { sqlite } from "./sqlite.ts";

const note = defineKind({ name: "late_note", schema: z.object({ text: z.string() }) });

let store: OwnedStore;
beforeEach(() => {
  store = sqlite(path.join(scratchFolder(), "store.db"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return async () => {
    vi.useRealTimers();
    await store.end();
  };
});

/** An entry that writes a note with its text as id. */
function entry(text: string, options: Partial<LateWrite> = {}): LateWrite {
  const write = (inside: Store) => inside.put(note, { text }, { id: text, ifGeneration: 0 });
  return { workspace: "default", bytes: 10, write, ...options };
}

const entries = (count: number, options: Partial<LateWrite> = {}) =>
  Array.from({ length: count }, (_, at) => entry(`${at}`, options));

const texts = async (workspace = "default") => {
  const { items } = await store.in(workspace).query(note, { limit: 500 });
  return items.map(({ data }) => data.text);
};

/** The store with a connection that can fail, and with a count of its transactions. */
function unreliable() {
  const state = { isDown: false, transactions: 0 };
  const wrap = (inner: Store): Store =>
    ({
      ...inner,
      in: (workspace: string) => wrap(inner.in(workspace)),
      async transaction(work: (inside: Store) => Promise<unknown>) {
        state.transactions += 1;
        if (state.isDown) throw new ToolError("unavailable", "the disk is full");
        return inner.transaction(work);
      },
    }) as Store;
  return Object.assign(state, { store: wrap(store) });
}

/** Lets started writes finish. */
const settled = async () => {
  for (let turn = 0; turn < 300; turn += 1) await new Promise(setImmediate);
};

describe("a write-behind queue", () => {
  test("writes 250 ms after the first entry, in order", async () => {
    const queue = createWriteBehind(store);
    queue.add(entry("a"));
    await vi.advanceTimersByTimeAsync(249);
    queue.add(entry("b"));
    await settled();
    expect(await texts()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await settled();
    expect(await texts()).toEqual(["a", "b"]);
    queue.add(entry("c"));
    await vi.advanceTimersByTimeAsync(250);
    await settled();
    expect(await texts()).toEqual(["a", "b", "c"]);
  });

  test("writes the entries of a workspace in one transaction", async () => {
    const counted = unreliable();
    const queue = createWriteBehind(counted.store);
    for (const [at, one] of entries(200).entries()) queue.add({ ...one, workspace: at % 2 === 0 ? "even" : "odd" });
    await queue.flush();
    expect(counted.transactions).toBe(2);
    expect([(await texts("even")).length, (await texts("odd")).length]).toEqual([100, 100]);
  });

  test("flushes what was added before, for a reader", async () => {
    const queue = createWriteBehind(store);
    for (const one of entries(450)) queue.add(one);
    await queue.flush();
    expect(await texts()).toEqual(Array.from({ length: 450 }, (_, at) => `${at}`));
  });

  test("loses one entry that the store refuses, and no other", async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const queue = createWriteBehind(store, { onError });
    await store.put(note, { text: "taken" }, { id: "taken" });
    const half: LateWrite["write"] = async (inside) => {
      await inside.put(note, { text: "half" });
      throw new Error("no more");
    };
    for (const one of [entry("a"), entry("taken"), entry("b"), entry("half", { write: half }), entry("c")])
      queue.add(one);
    await queue.flush();
    await queue.flush();
    expect(await texts()).toEqual(["taken", "a", "b", "c"]);
    expect(onError).toHaveBeenCalledOnce();
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: "conflict" });
  });

  test("retries while the store is unavailable, reports it once, and writes each entry once", async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const broken = unreliable();
    const queue = createWriteBehind(broken.store, { onError });
    broken.isDown = true;
    for (const one of entries(3)) queue.add({ ...one, workspace: "a" });
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await vi.advanceTimersByTimeAsync(250);
      await settled();
      expect(broken.transactions).toBe(attempt);
    }
    queue.add(entry("b"));
    broken.isDown = false;
    await queue.flush();
    expect([await texts("a"), await texts()]).toEqual([["0", "1", "2"], ["b"]]);
    queue.add(entry("c"));
    broken.isDown = true;
    await queue.flush();
    expect(onError.mock.calls.map(([error]) => String(error))).toEqual(Array(2).fill("ToolError: the disk is full"));
  });

  test("holds at most 16 MiB or 10,000 entries, drops more, and warns once", async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const queue = createWriteBehind(store, { onError });
    const large = { bytes: 4 * 1_048_576 };
    for (const text of ["a", "b", "c", "d", "e"]) queue.add(entry(text, large));
    await queue.flush();
    expect(await texts()).toEqual(["a", "b", "c", "d"]);
    let written = 0;
    const counted = { write: async () => void (written += 1) };
    for (let at = 0; at < 10_002; at += 1) queue.add(entry("", counted));
    await queue.flush();
    expect(written).toBe(10_000);
    expect(onError.mock.calls.map(([error]) => String(error))).toEqual(
      Array(2).fill("Error: the write queue is full: new records are dropped"),
    );
  });

  test("does not block waiting calls during a flush", async () => {
    const queue = createWriteBehind(store);
    let turns = 0;
    let isWriting = true;
    const count = () => {
      turns += 1;
      if (isWriting) setImmediate(count);
    };
    const slow = async () => {
      for (const start = performance.now(); performance.now() - start < 1;);
    };
    for (const one of entries(100, { write: slow })) queue.add(one);
    const flushed = queue.flush();
    setImmediate(count);
    await flushed;
    isWriting = false;
    expect(turns).toBeGreaterThan(15);
  });

  test("drops an entry that reads a damaged record, reports it once, and writes the other entries", async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const older = defineKind({ name: "late_note", schema: z.object({ words: z.number() }) });
    await store.put(older, { words: 1 }, { id: "damaged" });
    const queue = createWriteBehind(store, { onError });
    const reads = vi.fn<(inside: Store) => Promise<unknown>>((inside) => inside.get(note, "damaged"));
    const chained = (inside: Store) => inside.put(note, { text: "x" }, { id: "damaged", patch: true });
    for (const text of ["a", "b", "c"]) queue.add(entry(text));
    queue.add(entry("reads", { write: reads }));
    queue.add(entry("patches", { write: chained }));
    queue.add(entry("d"));
    await queue.flush();
    expect((await store.query(note, { sort: ["id"], skipDamaged: true })).items.map(({ id }) => id)).toEqual([
      "a",
      "b",
      "c",
      "d",
    ]);
    expect(String(onError.mock.calls[0]?.[0])).toContain('late_note "damaged": the stored record is damaged');
    expect(onError).toHaveBeenCalledTimes(1);
    const attempts = reads.mock.calls.length;
    queue.add(entry("e"));
    await vi.advanceTimersByTimeAsync(120_000);
    await settled();
    expect(reads).toHaveBeenCalledTimes(attempts);
    expect(await store.get(note, "e")).toBeDefined();
  });

  test("writes entries that are added in a transaction after it", async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const queue = createWriteBehind(store, { onError });
    await store.transaction(async () => {
      for (const one of entries(200)) queue.add(one);
      await settled();
    });
    await queue.flush();
    expect(onError).not.toHaveBeenCalled();
    expect(await texts()).toHaveLength(200);
  });
});

describe("at the end of the store, a write-behind queue", () => {
  const opened = () => {
    const file = path.join(scratchFolder(), "ended.db");
    return { ended: sqlite(file), file };
  };

  test("is flushed, and refuses later entries", async () => {
    const { ended, file } = opened();
    const queue = createWriteBehind(ended);
    for (const one of entries(300)) queue.add(one);
    await ended.end();
    queue.add(entry("late"));
    const later = sqlite(file);
    onTestFinished(() => later.end());
    expect((await later.query(note, { limit: 0 })).total).toBe(300);
  });

  test("stops after 1.5 s", async () => {
    vi.useRealTimers();
    const { ended } = opened();
    const errors: unknown[] = [];
    const hanging = { ...ended, in: () => ({ ...ended, transaction: () => new Promise<never>(() => {}) }) };
    const queue = createWriteBehind(hanging, { onError: (error) => errors.push(error) });
    for (const one of entries(201)) queue.add(one);
    const before = performance.now();
    await ended.end();
    expect(performance.now() - before).toBeGreaterThan(1_400);
    expect(String(errors)).toBe("Error: the store ends before all records are written");
  });
});

describe("old records", () => {
  test("are removed after the first write in a workspace, and after every 200 writes there", async () => {
    const removals: string[] = [];
    const removeOld = async ({ workspace }: Store) => void removals.push(workspace);
    const ended = sqlite(path.join(scratchFolder(), "ended.db"));
    const queue = createWriteBehind(ended, { removeOld });
    const write = async (count: number, workspace: string) => {
      for (let at = 0; at < count; at += 1) queue.add(entry("", { workspace, write: async () => {} }));
      await queue.flush();
      await settled();
      return removals.splice(0);
    };
    expect(await write(1, "a")).toEqual(["a"]);
    expect(await write(199, "a")).toEqual([]);
    expect(await write(1, "b")).toEqual(["b"]);
    expect(await write(1, "a")).toEqual(["a"]);
    expect(await write(200, "b")).toEqual(["b"]);
    expect(await write(1, "a")).toEqual([]);
    await ended.end();
    expect(removals).toEqual([]);
  });

  test("wait for the next removal when one fails, and no entry is written twice", async () => {
    const onError = vi.fn<(error: unknown) => void>();
    let isDown = true;
    const removeOld = async () => {
      if (isDown) throw new ToolError("unavailable", "busy");
    };
    const queue = createWriteBehind(store, { removeOld, onError });
    queue.add(entry("a"));
    await queue.flush();
    await settled();
    isDown = false;
    expect(onError).toHaveBeenCalledOnce();
    expect(await texts()).toEqual(["a"]);
  });
});
