import { hostname } from "node:os";
import { errorText, type Store } from "@toolpacks/core";
import { hasCode, isInside } from "@toolpacks/files";
import { entryKind, hasFileChanges, putEntry, storedEntries, type Entry, type KeptEntry, type Move } from "./entry.ts";
import { changesBetween, type Leaf, leavesAt, leavesOf, readLeaf } from "./leaf.ts";

/** The entries of this process whose calls have not ended, or are not written. */
export const runningEntries = new Set<string>();

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
  return others.map(({ id, data, generation }) => ({ ...data.entry, id, generation }));
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
      const left = asLeft(entry, later, maxFileBytes);
      await (left === undefined ? local.delete(entryKind, id) : putEntry(local, left, { id, began: entry.generation }));
    }
    if (moved !== undefined) later.set(moved.from, moved.leaf).set(moved.to, null);
    for (const { path, before } of files) later.set(path, before);
    if (killed.size === 0) return;
  }
}

/** An entry with what its killed call has done. Undefined: nothing. */
function asLeft(entry: Entry, later: ReadonlyMap<string, Leaf | null>, maxFileBytes: number): Entry | undefined {
  const { files = [], moved } = entry;
  const ended = { ...entry, running: undefined, isPartial: true };
  try {
    const now = new Map(files.flatMap(({ path }) => [...leavesOf(path, moved?.to)]));
    for (const [path, leaf] of later) {
      if (leaf === null) now.delete(path);
      else if (path !== moved?.to && files.some((one) => isInside(one.path, path))) now.set(path, leaf);
    }
    // A newer call may have moved it on.
    const wasMoved = moved !== undefined && (hasMoved(moved) || later.get(moved.to)?.inode === moved.leaf.inode);
    const before = leavesAt(files.map((one) => [one.path, one.before]));
    const left = {
      ...ended,
      files: changesBetween(before, now, maxFileBytes),
      moved: wasMoved ? moved : undefined,
    };
    return hasFileChanges(left) ? left : undefined;
  } catch (error) {
    return { ...ended, files: undefined, problem: errorText(error) };
  }
}

/** Whether a move was done. A move to itself, or to another name of the same file, does nothing. */
export function hasMoved({ from, to, leaf }: Move): boolean {
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
