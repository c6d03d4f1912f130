import type { Store } from "@toolpacks/core";
import { withFileLock } from "@toolpacks/files";
import { createWriteBehind, newRecordId } from "@toolpacks/store";
import type { z } from "zod";
import { keepContent } from "./contents.ts";
import { contentsOf, entryKind, type Entry, type KeptEntry } from "./entry.ts";
import { killedCall, runningEntries, thisProcess } from "./killed-calls.ts";
import type { Leaf } from "./leaf.ts";
import { droppedId, putEntry, replaceEntry, storedEntries } from "./stored-entries.ts";
import type { undoLimits, UndoOptions } from "./undo-options.ts";

type LogOptions = Pick<UndoOptions, "local" | "lockFile" | "onError"> & z.output<typeof undoLimits>;

export type UndoLog = ReturnType<typeof createUndoLog>;

const dayMs = 86_400_000;
/** Contents that are written in one transaction. Other writers can run between those of more. */
const bytesAtOnce = 8_000_000;

/**
 * The entries of all calls. One of files is stored before their change, and again within 250 ms after it. One of records is stored by the transaction that
 * writes them.
 */
export function createUndoLog(options: LogOptions) {
  const { local, lockFile, maxFileBytes, onError } = options;
  // The workspace of the local view has no name to open it by.
  const queue = createWriteBehind({ ...local, in: () => local }, { onError, removeOld: () => prune(log, options) });
  /** Keeps what a call has left. Undefined: it has changed nothing. */
  const end = (id: string, entry: Entry | undefined): void => {
    const bytes = JSON.stringify(entry ?? "").length;
    const write = (inside: Store) => replaceEntry(inside, id, entry);
    queue.add({ workspace: local.workspace, bytes, write, written: () => runningEntries.delete(id) });
  };
  const log = {
    local,
    maxFileBytes,
    /** Keeps an entry and the contents of its files before their change. Returns its id. @throws Error if it cannot be written */
    async begin(entry: Entry): Promise<string> {
      const id = newRecordId();
      runningEntries.add(id);
      const write = async (inside: Store) => {
        await putEntry(inside, { ...entry, running: thisProcess }, id);
        for (const { path, before } of entry.files ?? [])
          if (before?.type === "file" && before.content !== undefined) await keepContent(inside, path, before.content);
      };
      const bytes = [...contentsOf(entry).values()].reduce((sum, size) => sum + size, 0);
      try {
        await (bytes > bytesAtOnce ? write(local) : local.transaction(write));
        return id;
      } catch (error) {
        end(id, undefined);
        throw error;
      }
    },
    end,
    /** Keeps an entry of a call that has ended. */
    add: (entry: Entry) => end(newRecordId(), entry),
    flush: () => queue.flush(),
    /** Runs work while no other process takes anything back. */
    alone: <T>(work: () => Promise<T>) => withFileLock(lockFile, work),
    /** Every entry of a call that has ended or was killed, the newest first. */
    async *newestFirst(): AsyncGenerator<KeptEntry> {
      await queue.flush();
      const later = new Map<string, Leaf | null>();
      for await (const entry of storedEntries(local)) {
        const ended = entry.running === undefined ? entry : killedCall(entry, later, maxFileBytes);
        for (const { path, before } of entry.files ?? []) later.set(path, before);
        if (ended !== undefined) yield ended;
      }
    },
    /** How many entries were dropped because of the limits, and the time of the newest one. */
    dropped: async () => (await local.get(entryKind, droppedId))?.data as Dropped | undefined,
    /** Drops what is beyond the limits. */
    async prune(): Promise<void> {
      await queue.flush();
      await prune(log, options);
    },
  };
  return log;
}

export interface Dropped {
  readonly count: number;
  readonly until: string;
}

/** An entry stays with the others of its unit. */
async function prune(log: Pick<UndoLog, "dropped">, { local, maxBytes, days }: LogOptions) {
  const since = new Date(Date.now() - days * dayMs).toISOString();
  const [units, needed, surplus] = [new Set<string>(), new Set<string>(), [] as KeptEntry[]];
  let bytes = 0;
  for await (const entry of storedEntries(local)) {
    const contents = contentsOf(entry);
    bytes += JSON.stringify(entry).length;
    for (const [content, size] of contents) bytes += needed.has(content) ? 0 : size;
    const isOver = surplus.length > 0 || bytes > maxBytes || entry.at < since;
    if (isOver && !units.has(entry.unit)) surplus.push(entry);
    else {
      units.add(entry.unit);
      for (const content of contents.keys()) needed.add(content);
    }
  }
  for (const { id } of surplus) await replaceEntry(local, id, undefined);
  const count = ((await log.dropped())?.count ?? 0) + surplus.length;
  if (surplus[0] !== undefined) await local.put(entryKind, { count, until: surplus[0].at }, { id: droppedId });
}
