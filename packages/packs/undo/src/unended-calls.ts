import { hostname } from "node:os";
import { errorText, type Store } from "@toolpacks/core";
import { hasCode } from "@toolpacks/files";
import { entryKind, putEntry, storedEntries, type KeptEntry } from "./entry.ts";
import { changesSince, readLeaf } from "./leaf.ts";

/** The entries of this process without an end in a store, by their ids, with the paths that their calls may change now. */
export const runningEntries = new Map<string, readonly string[]>();

/** This process, as its entries name it. */
export const thisProcess = `${hostname()} ${process.pid}`;

/** No call takes longer. */
const maxCallMs = 3_600_000;
/** A call of another process is not waited for longer. Its process may be gone, and another one have its id. */
const maxWaitMs = 60_000;

/**
 * Ends the entries of processes that were killed with what their calls have left. Runs in a transaction, before others change that.
 *
 * @param filter of the entries that are read. Default: all
 * @returns the entries of other processes of this machine that have begun within a minute, and not ended
 */
export async function endKilledCalls(
  local: Store,
  maxFileBytes: number,
  filter: object = {},
): Promise<readonly KeptEntry[]> {
  // A range: `exists` would read every entry.
  const unended = await Array.fromAsync(storedEntries(local, { filter: { running: { gt: "" }, ...filter } }));
  const running = [];
  for (const entry of unended.filter(({ id }) => !runningEntries.has(id))) {
    const left = isKilled(entry) ? leftBy({ ...entry, isPartial: true }, maxFileBytes) : entry;
    if (left === undefined) await local.delete(entryKind, entry.id);
    else if (left !== entry) await putEntry(local, left);
    else if (isHere(entry) && Date.parse(entry.at) > Date.now() - maxWaitMs) running.push(entry);
  }
  return running;
}

/** An entry with what its call has done to files. Undefined: nothing. */
export function leftBy(entry: KeptEntry, maxFileBytes: number): KeptEntry | undefined {
  const { files = [], moved, undoes, isPartial = false } = entry;
  const ended = { ...entry, running: undefined };
  try {
    const [source, target] = moved === undefined ? [null, null] : [readLeaf(moved.from), readLeaf(moved.to)];
    // A move to itself, or to another name of the same file, does nothing.
    const hasMoved = moved !== undefined && target?.inode === moved.leaf.inode && source?.inode !== moved.leaf.inode;
    if (moved !== undefined && source === null && !hasMoved && !isPartial)
      throw new Error("it was moved to another device");
    const changes = changesSince(files, hasMoved ? moved.to : moved?.from, maxFileBytes);
    const isEmpty = changes.length === 0 && !hasMoved && (undoes === undefined || isPartial);
    return isEmpty ? undefined : { ...ended, files: changes, moved: hasMoved ? moved : undefined };
  } catch (error) {
    return { ...ended, files: undefined, moved: undefined, problem: errorText(error) };
  }
}

/** Whether the process of a call that has not ended is gone. */
function isKilled(entry: KeptEntry): boolean {
  const { running = "", at } = entry;
  if (running === thisProcess || Date.parse(at) < Date.now() - maxCallMs) return true;
  try {
    return isHere(entry) && !process.kill(Number(running.split(" ")[1]), 0);
  } catch (error) {
    return hasCode(error, "ESRCH");
  }
}

function isHere({ running }: KeptEntry): boolean {
  return running?.startsWith(`${hostname()} `) === true;
}
