import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { quoteName, type Store } from "@toolpacks/core";
import { withFileLock } from "@toolpacks/files";
import { createWriteBehind } from "@toolpacks/store";
import type { z } from "zod";
import { sweepContents } from "./contents.ts";
import { droppedKind, entryKind, pathsOf, putEntry, storedEntries, type Entry, type KeptEntry } from "./entry.ts";
import { endKilledCalls, leftBy, unendedCalls, writeEnds } from "./unended-calls.ts";
import type { undoLimits, UndoOptions } from "./undo-options.ts";

interface LogOptions extends Pick<UndoOptions, "local" | "lockFile" | "onError">, z.output<typeof undoLimits> {
  /** Whether no undo may change a real path. */
  readonly protects: (real: string) => boolean;
}

export type UndoLog = ReturnType<typeof createUndoLog>;

const dayMs = 86_400_000;
/** Within this time, a process has written the end of a call. */
const writeDelayMs = 300;

/**
 * The entries of all calls. One of files is stored before their change, and again within 250 ms after it. One of records is stored by the transaction that
 * writes them.
 */
export function createUndoLog(options: LogOptions) {
  const { local, maxFileBytes, onError, protects } = options;
  const lockFile = path.resolve(options.lockFile);
  /** Runs work while no other process takes anything back, and nothing that is needed for that is dropped. */
  const alone = <T>(work: () => Promise<T>) => withFileLock(lockFile, work);
  // The workspace of the local view has no name to open it by.
  const queue = createWriteBehind(
    { ...local, in: () => local },
    { onError, removeOld: () => alone(() => local.transaction((inside) => prune(inside, options))) },
  );
  return {
    local,
    lockFile,
    maxFileBytes,
    /** Keeps what the call of an entry has done to files, if anything. Returns why that cannot be taken back. */
    end(kept: KeptEntry, hasFailed: boolean): string | undefined {
      const { id } = kept;
      const found = leftBy(kept, maxFileBytes);
      const left = hasFailed && isOneFile(kept, found) ? undefined : found;
      const { files = [] } = left ?? {};
      // The tool has checked the path of a single change.
      const closed = files.length > 1 ? files.find((one) => protects(one.path)) : undefined;
      const problem = left?.problem ?? (closed && `${quoteName(path.basename(closed.path))} in it is protected`);
      const ended = left && { ...left, problem, at: new Date().toISOString() };
      const write = async (inside: Store) => {
        // Another undo may have gone on with it.
        if (!unendedCalls.has(id)) return;
        await (ended === undefined ? inside.delete(entryKind, id) : putEntry(inside, ended));
      };
      const bytes = JSON.stringify(ended ?? "").length;
      unendedCalls.set(id, { paths: pathsOf(kept), lockFile, end: write });
      queue.add({ workspace: local.workspace, bytes, write, written: () => unendedCalls.delete(id) });
      return problem;
    },
    /** Keeps an entry of a call that has ended. */
    add: (entry: Entry, inside = local) => putEntry(inside, { ...entry, at: new Date().toISOString() }),
    flush: () => queue.flush(),
    alone,
    /** Every entry, the newest first, also of calls that have not ended. */
    async *newestFirst(): AsyncGenerator<KeptEntry> {
      await queue.flush();
      const { running, written } = await local.transaction(async (inside) => ({
        written: await writeEnds(inside, lockFile),
        running: await endKilledCalls(inside, maxFileBytes),
      }));
      for (const id of written) unendedCalls.delete(id);
      // Another process writes the end of a call after its reply.
      if (running.length > 0) await wait(writeDelayMs);
      yield* storedEntries(local);
    },
    dropped: () => readDropped(local),
  };
}

/** Whether a call, which is no undo, could change a single file alone. If it fails, it has not, but another program may have. */
function isOneFile({ files = [], moved, undoes }: Entry, left: Entry | undefined): boolean {
  const leaves = [...files.map(({ before }) => before), ...(left?.files ?? []).map(({ after }) => after)];
  return files.length === 1 && (moved ?? undoes) === undefined && leaves.every((leaf) => leaf?.type !== "folder");
}

/** How many entries were dropped because of the limits, and the time of the newest one. */
async function readDropped(local: Store) {
  return (await local.get(droppedKind, droppedKind.name))?.data;
}

/** Drops what is beyond the limits, in a transaction, so that no entry comes to need a content that is removed. An entry stays with the others of its unit. */
export async function prune(local: Store, { maxBytes, days }: Pick<LogOptions, "maxBytes" | "days">): Promise<void> {
  const since = new Date(Date.now() - days * dayMs).toISOString();
  const [units, needed, surplus] = [new Set<string>(), new Set<string>(), [] as KeptEntry[]];
  let bytes = 0;
  for await (const entry of storedEntries(local)) {
    const contents = (entry.files ?? []).flatMap(({ before }) => (before?.type === "file" ? before : []));
    bytes += JSON.stringify(entry).length;
    for (const { content = "", size } of contents) bytes += content === "" || needed.has(content) ? 0 : size;
    const isOver = surplus.length > 0 || bytes > maxBytes || entry.at < since;
    if (isOver && !units.has(entry.unit) && entry.running === undefined) surplus.push(entry);
    else {
      units.add(entry.unit);
      for (const { content = "" } of contents) needed.add(content);
    }
  }
  for (const { id } of surplus) await local.delete(entryKind, id);
  await sweepContents(local, needed);
  const count = ((await readDropped(local))?.count ?? 0) + surplus.length;
  if (surplus[0] !== undefined) await local.put(droppedKind, { count, until: surplus[0].at }, { id: droppedKind.name });
}
