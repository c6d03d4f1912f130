import { hostname } from "node:os";
import { errorText, type Store } from "@toolpacks/core";
import { hasCode, isInside } from "@toolpacks/files";
import { entryKind, putEntry, storedEntries, type Entry, type KeptEntry, type Move } from "./entry.ts";
import { changesSince, type Leaf, leavesOf, readLeaf } from "./leaf.ts";

/** The entries of this process without an end in a store, by their ids, with the paths that their calls may change now. */
export const runningEntries = new Map<string, readonly string[]>();

/** This process, as its entries name it. */
export const thisProcess = `${hostname()} ${process.pid}`;

/** No call takes longer. */
const maxCallMs = 3_600_000;
/** A call of another process is not waited for longer. Its process may be gone, and another one have its id. */
const maxWaitMs = 60_000;

/** The entries of calls of other processes of this machine that have begun within a minute, and not ended. */
export async function runningElsewhere(local: Store): Promise<readonly Entry[]> {
  const entries = await unendedEntries(local, { not: { running: thisProcess } });
  return entries.filter((one) => isHere(one) && !isKilled(one) && Date.parse(one.at) > Date.now() - maxWaitMs);
}

/** The entries without an end, except those of this process whose calls run. A range: `exists` would read every entry. */
async function unendedEntries(local: Store, filter = {}): Promise<readonly KeptEntry[]> {
  const { items } = await local.query(entryKind, { filter: { running: { gt: "" }, ...filter }, limit: 200 });
  const others = items.filter(({ id }) => !runningEntries.has(id));
  return others.map(({ id, data, generation }) => ({ generation, ...data.entry, id }));
}

/** Ends the entries of processes that were killed, with what their calls have left. */
export async function endKilledCalls(local: Store, maxFileBytes: number): Promise<void> {
  const unended = await unendedEntries(local);
  const killed = new Set(unended.filter(isKilled).map(({ id }) => id));
  /** What each path had before newer calls, which is what older ones have left. */
  const later = new Map<string, Leaf | null>();
  if (killed.size === 0) return;
  for await (const entry of storedEntries(local)) {
    const { id, files = [], moved } = entry;
    if (killed.delete(id)) {
      const left = leftBy({ ...entry, isPartial: true }, maxFileBytes, later);
      await (left === undefined ? local.delete(entryKind, id) : putEntry(local, left));
    }
    if (moved !== undefined) later.set(moved.from, moved.leaf).set(moved.to, null);
    for (const { path, before } of files) later.set(path, before);
    if (killed.size === 0) return;
  }
}

/**
 * An entry with what its call has done to files. Undefined: nothing.
 *
 * @param later what each path had before newer calls. Default: there are none
 */
export function leftBy(
  entry: KeptEntry,
  maxFileBytes: number,
  later: ReadonlyMap<string, Leaf | null> = new Map(),
): KeptEntry | undefined {
  const { files = [], moved, undoes, isPartial = false } = entry;
  const ended = { ...entry, running: undefined };
  try {
    // A newer call may have moved it on.
    const wasMoved = moved !== undefined && (hasMoved(moved) || later.get(moved.to)?.inode === moved.leaf.inode);
    const isLost = moved !== undefined && !wasMoved && !isPartial && readLeaf(moved.from) === null;
    if (isLost) throw new Error("it was moved to another device");
    const tops = files.map(({ path }) => path);
    const now = leavesOf(tops, wasMoved ? moved.to : moved?.from);
    for (const [path, leaf] of later) {
      if (leaf === null) now.delete(path);
      else if (path !== moved?.to && tops.some((top) => isInside(top, path))) now.set(path, leaf);
    }
    const changes = changesSince(files, now, maxFileBytes);
    const isEmpty = changes.length === 0 && !wasMoved && (undoes === undefined || isPartial);
    return isEmpty ? undefined : { ...ended, files: changes, moved: wasMoved ? moved : undefined };
  } catch (error) {
    return { ...ended, files: undefined, moved: undefined, problem: errorText(error) };
  }
}

/** Whether a move was done. A move to itself, or to another name of the same file, does nothing. */
function hasMoved({ from, to, leaf }: Move): boolean {
  return readLeaf(to)?.inode === leaf.inode && readLeaf(from)?.inode !== leaf.inode;
}

/** Whether the process of a call that has not ended is gone. */
function isKilled(entry: Entry): boolean {
  const { running = "", at } = entry;
  if (running === thisProcess || Date.parse(at) < Date.now() - maxCallMs) return true;
  try {
    return isHere(entry) && !process.kill(Number(running.split(" ")[1]), 0);
  } catch (error) {
    return hasCode(error, "ESRCH");
  }
}

function isHere({ running }: Entry): boolean {
  return running?.startsWith(`${hostname()} `) === true;
}
