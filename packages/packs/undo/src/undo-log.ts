import path from "node:path";
import type { Store } from "@toolpacks/core";
import { createWriteBehind, everyRecord, newRecordId } from "@toolpacks/store";
import { entryKind, type Entry, type KeptEntry } from "./entry.ts";
import { createImages } from "./images.ts";
import { createJournal } from "./journal.ts";

export interface LogOptions {
  /** The store's internal view, which has the entries. */
  readonly internal: Store;
  /** Private folder of images and of the entries of running calls. */
  readonly folder: string;
  /** Maximum bytes of entries and images together. The oldest units are dropped first. */
  readonly maxBytes: number;
  /** Maximum age of an entry. */
  readonly days: number;
  /** Maximum bytes of a file whose content is kept. */
  readonly maxFileBytes: number;
  readonly onError: (error: unknown) => void;
}

export type UndoLog = ReturnType<typeof createUndoLog>;

type Line = readonly [id: string, entry: Entry];

const droppedId = "dropped";
const dayMs = 86_400_000;
/** Maximum bytes of one record with entries, and of one entry. */
const maxRowBytes = 4_000_000;
const maxEntryBytes = 12_000_000;

/** The entries of all calls: of running ones in the journal, then within 250 ms in the store. */
export function createUndoLog({ internal: store, folder, maxBytes, days, maxFileBytes, onError }: LogOptions) {
  const journal = createJournal(path.join(folder, "running"));
  const images = createImages(path.join(folder, "images"), maxFileBytes);
  // The workspace of the internal view has no name to open it by.
  const queue = createWriteBehind({ ...store, in: () => store }, { onError });
  store.beforeEnd(async () => journal.end());
  const waiting: { row?: { readonly lines: Line[]; bytes: number } | undefined } = {};
  const put = (inside: Store, entries: readonly Line[], id = newRecordId()) =>
    inside.put(entryKind, { entries }, { id });
  /** Queues an entry. All entries of 250 ms are one record. */
  const addAs = (id: string, entry: Entry): void => {
    const bytes = JSON.stringify(entry).length;
    if (bytes > maxEntryBytes) {
      const { files, records, ...facts } = entry;
      return addAs(id, { ...facts, problem: "it changed too much" });
    }
    let { row } = waiting;
    if (row === undefined || row.bytes + bytes > maxRowBytes) {
      const [begun, key] = [{ lines: [] as Line[], bytes: 0 }, newRecordId()];
      waiting.row = row = begun;
      const write = async (inside: Store) => {
        if (waiting.row === begun) waiting.row = undefined;
        await put(inside, begun.lines, key);
        for (const [line] of begun.lines) journal.settle(line, true);
      };
      queue.add({ workspace: store.workspace, bytes, write });
    }
    row.lines.push([id, entry]);
    row.bytes += bytes;
  };
  /** What was dropped because of the limits: how many entries, and the time of the newest one. */
  const dropped = async () =>
    (await store.get(entryKind, droppedId))?.data as { readonly count: number; readonly until: string } | undefined;
  /** Every entry, the newest first, also of calls whose process was killed. */
  async function* newestFirst(): AsyncGenerator<KeptEntry> {
    await queue.flush();
    for (const { entries, remove } of journal.orphans()) {
      if (entries.length > 0) await put(store, entries as readonly Line[]);
      remove();
    }
    const known = new Set<string>();
    for await (const one of everyRecord(store, entryKind, { sort: ["-id"], pageSize: 20, skipDamaged: true })) {
      if (one.id === droppedId) continue;
      for (const [id, entry] of (one.data.entries as readonly Line[]).toReversed()) {
        if (known.has(id)) continue;
        known.add(id);
        yield { ...entry, id, row: one.id, generation: entry.records?.at(-1)?.generation ?? one.generation };
      }
    }
  }
  return {
    images,
    dropped,
    newestFirst,
    /** Keeps an entry before its change. Returns the function to call after it, with what it left; undefined if it changed nothing. @throws Error */
    begin(entry: Entry): (end: Entry | undefined) => void {
      const id = newRecordId();
      journal.add(id, entry);
      return (end) => (end === undefined ? journal.settle(id, false) : addAs(id, end));
    },
    /** Adds an entry after its call. */
    add: (entry: Entry) => addAs(newRecordId(), entry),
    /** Drops what is beyond the limits. An entry stays with the others of its unit and of its record. */
    async prune(): Promise<void> {
      const since = new Date(Date.now() - days * dayMs).toISOString();
      const [units, rows, surplus, needed] = [
        new Set<string>(),
        new Set<string>(),
        new Map<string, number>(),
        new Set<string>(),
      ];
      let bytes = 0;
      let until: string | undefined;
      for await (const entry of newestFirst()) {
        bytes += JSON.stringify(entry).length;
        const files = (entry.files ?? []).flatMap(({ before }) => (before?.type === "file" ? [before] : []));
        for (const { version, size } of files) bytes += needed.has(version) ? 0 : size;
        if (
          (until !== undefined || bytes > maxBytes || entry.at < since) &&
          !units.has(entry.unit) &&
          !rows.has(entry.row)
        ) {
          until ??= entry.at;
          surplus.set(entry.row, (surplus.get(entry.row) ?? 0) + 1);
          continue;
        }
        units.add(entry.unit);
        rows.add(entry.row);
        for (const { version } of files) needed.add(version);
      }
      let count = (await dropped())?.count ?? 0;
      for (const [id, entries] of surplus) {
        if (rows.has(id)) continue;
        await store.delete(entryKind, id);
        count += entries;
      }
      if (until !== undefined) await store.put(entryKind, { count, until }, { id: droppedId });
      images.sweep(needed);
    },
  };
}
