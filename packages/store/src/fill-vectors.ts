import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { withTimeout } from "@toolpacks/core";
import type { RowsWithoutVector, StoreDriver } from "./driver.ts";
import type { CompiledKind } from "./kind-layout.ts";
import { embedSigns, meaningText, type TextEmbedder } from "./text-embedder.ts";

/** Delay after the first write or query that sees a missing vector. */
const delayMs = 100;
/** Pause between batches, in which other work of the process runs. */
const pauseMs = 5;
/** Number of vectors that are made and written at once. */
const batchSize = 200;
/** The same for an embedder that takes milliseconds for each. */
const slowBatchSize = 16;

/** Maximum time that the end of the store waits for the running batches. */
const endTimeoutMs = 1_500;

/** The vectors of a kind by one embedder. */
export interface FilledSet {
  readonly kind: CompiledKind;
  readonly embedder: TextEmbedder;
  /** The name of the set. */
  readonly name: string;
}

/**
 * Makes missing vectors in the background, in batches. Several processes may do the same at once: a batch is written only if the others have written
 * none meanwhile. Work that fails ends until the next `start`.
 */
export function createVectorFiller(open: () => Promise<StoreDriver>) {
  const ended = new AbortController();
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  // Without this, the work would run in the transaction of the call that started it, and with its deadline.
  const inOwnContext = AsyncLocalStorage.snapshot();
  const pause = (ms: number) => wait(ms, undefined, { ref: false, signal: ended.signal });
  const fill = async (key: string, before: Promise<void> | undefined, set: FilledSet) => {
    await Promise.all([pause(delayMs), before]);
    waiting.delete(key);
    while (await fillBatch(await open(), set)) await pause(pauseMs);
  };
  return {
    /** Starts to make the missing vectors of a set, unless that is about to start. */
    start(set: FilledSet): void {
      const key = `${set.kind.kind.name} ${set.name}`;
      if (waiting.has(key)) return;
      waiting.add(key);
      const done = inOwnContext(fill, key, running.get(key), set).catch(() => void waiting.delete(key));
      running.set(key, done);
    },
    /** Ends the work after the running batches. */
    async end(): Promise<void> {
      ended.abort();
      await withTimeout(Promise.all(running.values()), { ms: endTimeoutMs, onTimeout: () => {} });
    },
  };
}

/** Makes the vectors of one batch. Resolves to whether to go on. */
async function fillBatch(driver: StoreDriver, { kind, embedder, name }: FilledSet): Promise<boolean> {
  const { layout } = kind;
  const limit = embedder.isSlow === true ? slowBatchSize : batchSize;
  const set = (await driver.vectorSets(layout)).find((one) => one.name === name);
  if (set?.missing === undefined) return false;
  const { number, missing } = set;
  const range = { set: number, from: missing, limit };
  const { rows } = await driver.rowsWithoutVector(layout, range);
  const texts = rows.map(({ data }) => meaningText(data, kind.kind.meaning));
  const signs = rows.length === 0 ? [] : await embedSigns(embedder, texts);
  const made = new Map(rows.map((row, at) => [versionOf(row), signs[at]]));
  await driver.transaction(async (transaction) => {
    const sets = await transaction.vectorSets(layout);
    // Another process has filled it, or written a record without a vector.
    if (sets.find((one) => one.number === number)?.missing !== missing) return;
    const current = await transaction.rowsWithoutVector(layout, range);
    const changed = current.rows.find((row) => !made.has(versionOf(row)));
    const vectors = current.rows.flatMap((row) => {
      const vector = made.get(versionOf(row));
      return vector instanceof Uint8Array ? [{ age: row.age, signs: vector }] : [];
    });
    await transaction.addVectors(layout, { number, missing: changed?.age ?? current.next }, vectors);
  });
  return true;
}

function versionOf({ age, generation }: RowsWithoutVector["rows"][number]): string {
  return `${age}:${generation}`;
}
