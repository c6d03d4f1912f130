import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { withTimeout } from "@toolpacks/core";
import type { StoreDriver } from "./driver.ts";
import type { CompiledKind } from "./kind-layout.ts";
import { embedSigns, meaningText, type TextEmbedder } from "./text-embedder.ts";

/** Delay before each batch, in which other work of the process runs. */
const pauseMs = 50;
/** Number of vectors that are made at once, and of an embedder that takes milliseconds for each. */
const batchSize = 200;
const slowBatchSize = 16;
/** Maximum time that the end of the store waits for the running batches. */
const endTimeoutMs = 1_500;

/** The vectors of a kind by one embedder. */
export interface FilledSet {
  readonly kind: CompiledKind;
  readonly embedder: TextEmbedder;
  readonly name: string;
  /** The names of all sets of the kind that this process uses. */
  readonly names: readonly string[];
}

/** Makes missing vectors in the background, until none is missing or a batch fails. Adds a set that does not exist. Several processes may do it at once. */
export function createVectorFiller(open: () => Promise<StoreDriver>) {
  const ended = new AbortController();
  const running = new Map<string, Promise<void>>();
  // Without this, the work would run in the transaction and with the deadline of the call that started it.
  const inOwnContext = AsyncLocalStorage.snapshot();
  const fill = async (set: FilledSet) => {
    do await wait(pauseMs, undefined, { ref: false, signal: ended.signal });
    while (await fillBatch(await open(), set));
  };
  return {
    start(set: FilledSet): void {
      const key = `${set.kind.kind.name} ${set.name}`;
      if (running.has(key)) return;
      const done = inOwnContext(fill, set).catch(() => {});
      running.set(
        key,
        done.finally(() => running.delete(key)),
      );
    },
    async end(): Promise<void> {
      ended.abort();
      await withTimeout(Promise.all(running.values()), { ms: endTimeoutMs, onTimeout: () => {} });
    },
  };
}

/** Makes the vectors of one batch. Resolves to whether any may be missing. */
async function fillBatch(driver: StoreDriver, { kind, embedder, name, names }: FilledSet): Promise<boolean> {
  const { layout } = kind;
  const set = (await driver.vectorSets(layout)).find((one) => one.name === name);
  if (set === undefined) {
    await driver.transaction(async (inside) => inside.addVectorSets(layout, names));
    return true;
  }
  if (set.missing === undefined) return false;
  const limit = embedder.isSlow === true ? slowBatchSize : batchSize;
  const range = { set: set.number, from: set.missing, limit };
  const { rows } = await driver.rowsWithoutVector(layout, range);
  const texts = rows.map(({ data }) => meaningText(data, kind.kind.meaning));
  const signs = texts.length === 0 ? [] : await embedSigns(embedder, texts);
  const made = new Map(rows.map(({ age, generation }, at) => [`${age}:${generation}`, signs[at]]));
  await driver.transaction(async (inside) => {
    const current = (await inside.vectorSets(layout)).find(({ number }) => number === set.number);
    // Another process has filled it, or written an older record without a vector.
    if (current?.missing !== set.missing) return;
    const left = await inside.rowsWithoutVector(layout, range);
    const found = left.rows.map(({ age, generation }) => ({ age, signs: made.get(`${age}:${generation}`) }));
    const vectors = found.flatMap(({ age, signs }) => (signs instanceof Uint8Array ? [{ age, signs }] : []));
    const changed = found.find((row) => row.signs === undefined);
    await inside.addVectors(layout, { number: set.number, missing: changed?.age ?? left.next }, vectors);
  });
  return true;
}
