import path from "node:path";
import type { Store } from "@toolpacks/core";
import { makePrivateFolder, withFileLock } from "@toolpacks/files";
import { createWriteBehind, everyRecord, newRecordId } from "@toolpacks/store";
import type { z } from "zod";
import { entryKind, type Entry, type KeptEntry } from "./entry.ts";
import { createImages } from "./images.ts";
import { adoptOrphans, openJournal } from "./journals.ts";
import type { undoLimits, UndoOptions } from "./undo-options.ts";

type LogOptions = Pick<UndoOptions, "store" | "internal" | "folder" | "onError"> & z.output<typeof undoLimits>;

export type UndoLog = ReturnType<typeof createUndoLog>;

const droppedId = "dropped";
const dayMs = 86_400_000;
const maxEntryBytes = 8_000_000;

/**
 * The entries of all calls. An entry is a line of the process's journal first, and a record of the store within 250 ms: a commit of the store would take longer
 * than most calls. Both survive the end of the process at any time.
 */
export function createUndoLog(options: LogOptions) {
  const { internal, folder, maxFileBytes, onError } = options;
  const journals = path.join(folder, "journals");
  makePrivateFolder(journals);
  const images = createImages(path.join(folder, "images"), maxFileBytes);
  const journal = openJournal(journals);
  // The workspace of the internal view has no name to open it by.
  const queue = createWriteBehind({ ...internal, in: () => internal }, { onError, removeOld: () => log.prune() });
  internal.beforeEnd(async () => {
    await queue.flush();
    journal.end();
  });
  const log = {
    images,
    /** Keeps an entry before its change. Returns its id. @throws Error if it cannot be written */
    begin(entry: Entry): string {
      const id = newRecordId();
      journal.append({ id, entry });
      return id;
    },
    /** Keeps what a call left. Undefined: it changed nothing. */
    end(id: string, entry: Entry | undefined): void {
      if (entry === undefined) return journal.settle(id);
      const bytes = JSON.stringify(entry).length;
      const tooMuch = { files: undefined, records: undefined, problem: "it changed too much" };
      const kept = { ...entry, ...(bytes > maxEntryBytes && tooMuch) };
      try {
        journal.append({ id, entry: kept, hasEnded: true });
      } catch (error) {
        onError(error);
      }
      const write = (inside: Store) => inside.put(entryKind, kept, { id });
      queue.add({ workspace: internal.workspace, bytes, write, written: () => journal.settle(id) });
    },
    /** Keeps an entry of a call that has ended. */
    add: (entry: Entry) => log.end(newRecordId(), entry),
    /** Stores the entries of processes that were killed. */
    adopt: () => adoptOrphans(journals, options),
    flush: () => queue.flush(),
    /** Runs work while no other process takes anything back. */
    alone: <T>(work: () => Promise<T>) => withFileLock(path.join(folder, "undo.lock"), work),
    /** Every entry, the newest first, also of calls whose process was killed. */
    async *newestFirst(): AsyncGenerator<KeptEntry> {
      await queue.flush();
      await log.adopt();
      const query = { sort: ["-id"], pageSize: 100, skipDamaged: true };
      for await (const { id, data, generation } of everyRecord(internal, entryKind, query)) {
        const entry = data as unknown as Entry;
        if (id !== droppedId) yield { ...entry, id, generation: entry.records?.at(-1)?.generation ?? generation };
      }
    },
    /** How many entries were dropped because of the limits, and the time of the newest one. */
    dropped: async () => (await internal.get(entryKind, droppedId))?.data as Dropped | undefined,
    prune: () => prune(log, options),
  };
  return log;
}

export interface Dropped {
  readonly count: number;
  readonly until: string;
}

/** Drops what is beyond the limits. An entry stays with the others of its unit. */
async function prune(log: UndoLog, { internal, maxBytes, days }: LogOptions): Promise<void> {
  const since = new Date(Date.now() - days * dayMs).toISOString();
  const [units, needed, surplus] = [new Set<string>(), new Set<string>(), [] as KeptEntry[]];
  let bytes = 0;
  for await (const entry of log.newestFirst()) {
    const files = (entry.files ?? []).flatMap(({ before }) => (before?.type === "file" ? [before] : []));
    bytes += JSON.stringify(entry).length;
    for (const { version, size } of files) bytes += needed.has(version) ? 0 : size;
    const isOver = surplus.length > 0 || bytes > maxBytes || entry.at < since;
    if (isOver && !units.has(entry.unit)) surplus.push(entry);
    else {
      units.add(entry.unit);
      for (const { version } of files) needed.add(version);
    }
  }
  for (const { id } of surplus) await internal.delete(entryKind, id);
  const count = ((await log.dropped())?.count ?? 0) + surplus.length;
  if (surplus[0] !== undefined) await internal.put(entryKind, { count, until: surplus[0].at }, { id: droppedId });
  log.images.sweep(needed);
}
