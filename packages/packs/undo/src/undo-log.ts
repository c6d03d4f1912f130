import path from "node:path";
import type { Store } from "@toolpacks/core";
import { createWriteBehind, everyRecord, newRecordId } from "@toolpacks/store";
import { entryKind, type Entry, type FileNode, type KeptEntry } from "./entry.ts";
import { createImages, filesIn, mapFiles, type Images } from "./images.ts";
import { createJournal } from "./journal.ts";
import { findSurplus } from "./find-surplus.ts";

export interface LogOptions {
  /** The internal store, where entries are. */
  readonly store: Store;
  /** Folder of images and of the entries of running calls. Private to this user. */
  readonly folder: string;
  /** Maximum bytes of entries and images together. The oldest units are dropped first. */
  readonly maxBytes: number;
  /** Maximum age of an entry. */
  readonly days: number;
  readonly maxFileBytes: number;
  readonly onError: (error: unknown) => void;
}

/** What was dropped because of the limits. */
export interface Dropped {
  readonly entries: number;
  /** The time of the newest dropped entry. */
  readonly until: string;
}

/** The entries of all calls: of running ones in the journal, then within 250 ms in the store. */
export interface UndoLog {
  readonly images: Images;
  /** Keeps an entry before its change. Returns the function to call after it, with what the call left. Undefined: nothing was changed. @throws Error */
  begin(entry: Entry): (end: Entry | undefined) => void;
  /** Adds an entry after its call. */
  add(entry: Entry): void;
  /** Every entry, the newest first, also of calls that run or whose process was killed. */
  newestFirst(): AsyncGenerator<KeptEntry>;
  dropped(): Promise<Dropped | undefined>;
  /** Drops what is too old or too much. Rejects as the store does. */
  prune(): Promise<void>;
}

const droppedId = "dropped";
/** Maximum bytes of the entries in one record, and of one entry. */
const maxBatchBytes = 4_000_000;
const maxEntryBytes = 12_000_000;

const withoutEffects = { files: undefined, records: undefined };

interface Batch {
  readonly id: string;
  readonly entries: (readonly [id: string, entry: Entry])[];
  bytes: number;
}

export function createUndoLog(options: LogOptions): UndoLog {
  const { store, onError } = options;
  const journal = createJournal(path.join(options.folder, "running"));
  const images = createImages(path.join(options.folder, "images"), options);
  // The workspace of the internal store has no name to open it by.
  const queue = createWriteBehind({ ...store, in: () => store }, { onError });
  store.beforeEnd(async () => journal.end());
  const dropped = async () => (await store.get(entryKind, droppedId))?.data as Dropped | undefined;
  let batch: Batch | undefined;
  /** Queues an entry. All entries of 250 ms are one record. */
  const add = (id: string, entry: Entry) => {
    const bytes = JSON.stringify(entry).length;
    if (bytes > maxEntryBytes)
      return add(id, { ...entry, ...withoutEffects, problem: "it changed too much to be kept" });
    if (batch === undefined || batch.bytes + bytes > maxBatchBytes) {
      const begun: Batch = { id: newRecordId(), entries: [], bytes: 0 };
      batch = begun;
      let settled: Batch["entries"] | undefined;
      const write = async (inside: Store) => {
        if (batch === begun) batch = undefined;
        settled ??= begun.entries.map(([key, one]) => [key, settle(one, images)] as const);
        await inside.put(entryKind, { entries: settled }, { id: begun.id });
        for (const [key] of settled) journal.settle(key, true);
        for (const [, one] of begun.entries) releaseAll(one, images);
      };
      queue.add({ workspace: store.workspace, bytes, write });
    }
    batch.entries.push([id, entry]);
    batch.bytes += bytes;
  };
  /** Stores the entries of killed processes. Repeated by two processes, it has the same result. */
  const adoptOrphans = async () => {
    for (const { entries, remove } of journal.orphans()) {
      const settled = entries.map(([id, entry]) => [id, settle(entry, images)] as const);
      if (settled.length > 0) await store.put(entryKind, { entries: settled }, { id: newRecordId() });
      remove();
      for (const [, entry] of entries) releaseAll(entry, images);
    }
  };
  const log: UndoLog = {
    images,
    begin(entry) {
      const id = newRecordId();
      journal.add(id, entry);
      return (end) => {
        if (end !== undefined) return add(id, end);
        journal.settle(id, false);
        releaseAll(entry, images);
      };
    },
    add: (entry) => add(newRecordId(), entry),
    async *newestFirst() {
      await queue.flush();
      const known = new Set<string>();
      await adoptOrphans();
      const query = { sort: ["-id"], pageSize: 20, skipDamaged: true };
      for await (const { id: row, data, generation } of everyRecord(store, entryKind, query)) {
        if (row === droppedId) continue;
        for (const [id, entry] of (data.entries as Batch["entries"]).toReversed()) {
          if (known.has(id)) continue;
          known.add(id);
          yield { ...entry, id, row, generation: entry.records?.at(-1)?.generation ?? generation };
        }
      }
    },
    dropped,
    async prune() {
      const { rows, entries, until, needed } = await findSurplus(log, options);
      for (const row of rows) await store.delete(entryKind, row);
      const sum = ((await dropped())?.entries ?? 0) + entries;
      if (until !== undefined) await store.put(entryKind, { entries: sum, until }, { id: droppedId });
      images.sweep(needed);
    },
  };
  return log;
}

/** The entry with images that are named by their hashes. */
function settle(entry: Entry, images: Images): Entry {
  const settled = (file: FileNode): FileNode => ({ ...file, hash: images.settle(file) });
  const files = entry.files?.map((change) => ({ ...change, before: mapFiles(change.before, settled) }));
  return files === undefined ? entry : { ...entry, files };
}

function releaseAll({ files = [] }: Entry, images: Images): void {
  for (const { before } of files)
    for (const [, { hash }] of filesIn(before)) if (hash !== undefined) images.release(hash);
}
