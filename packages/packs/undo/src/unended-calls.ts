import { hostname } from "node:os";
import { errorText, type Store } from "@toolpacks/core";
import { hasCode, isInside } from "@toolpacks/files";
import { entryKind, putEntry, requireSize, storedEntries, type KeptEntry } from "./entry.ts";
import { isSame, leavesOf, overlap, readLeaf, unkeptProblem, withContent } from "./leaf.ts";

interface UnendedCall {
  /** That of its store. */
  readonly lockFile: string;
  /** What it may have changed. */
  readonly paths: readonly string[];
  /** Writes the end of its entry. Undefined: it runs. */
  readonly end?: (inside: Store) => Promise<unknown>;
}

/** The calls of this process whose entries have no end in a store, by the ids of these. */
export const unendedCalls = new Map<string, UnendedCall>();

/** Writes, in a transaction, what calls of this process have left in a store. Returns their ids, to forget after the commit. @param paths of the calls. Default: all */
export async function writeEnds(
  inside: Store,
  lockFile: string,
  paths?: readonly string[],
): Promise<readonly string[]> {
  const written = [];
  for (const [id, call] of unendedCalls) {
    if (call.lockFile !== lockFile || (paths !== undefined && !overlap(call.paths, paths))) continue;
    await call.end?.(inside);
    if (call.end !== undefined) written.push(id);
  }
  return written;
}

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
export async function endKilledCalls(local: Store, maxFileBytes: number, filter = {}): Promise<readonly KeptEntry[]> {
  // A range: `exists` would read every entry.
  const unended = await Array.fromAsync(storedEntries(local, { filter: { running: { gt: "" }, ...filter } }));
  const running = [];
  for (const entry of unended.filter(({ id }) => !unendedCalls.has(id))) {
    const state = stateOf(entry);
    if (state === "running") running.push(entry);
    if (state !== "killed") continue;
    const left = leftBy({ ...entry, isPartial: true }, maxFileBytes);
    await (left === undefined ? local.delete(entryKind, entry.id) : putEntry(local, left));
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
    const before = new Map(files.map((one) => [one.path, one.before]));
    const wasThere = [moved?.leaf.inode, before.get(moved?.to ?? "")?.inode];
    const isCopied = target !== null && !wasThere.includes(target.inode);
    // A move into itself is refused, and what stands there is not among the old files.
    const isInItself = moved !== undefined && isInside(moved.from, moved.to);
    if (moved !== undefined && !isInItself && (source === null || isCopied) && !hasMoved && !isPartial)
      throw new Error("it was moved to another device");
    const now = leavesOf([...before.keys()], hasMoved ? moved.to : moved?.from);
    const changes = [...new Set([...before.keys(), ...now.keys()])].flatMap((path) => {
      const [was, is] = [before.get(path) ?? null, now.get(path) ?? null];
      // A folder that was replaced may be moved later, and is known by its number.
      const isOther = was?.type === "folder" && was.inode !== is?.inode;
      return isSame(was, is) && !isOther ? [] : [{ path, before: was, after: withContent(path, is, maxFileBytes) }];
    });
    const isUnchanged = changes.every(({ before: was, after: is }) => isSame(was, is));
    const isEmpty = isUnchanged && !hasMoved && (undoes === undefined || isPartial);
    const problem = unkeptProblem(changes, maxFileBytes);
    const left = { ...ended, files: changes, moved: hasMoved ? moved : undefined, problem };
    requireSize(left);
    return isEmpty ? undefined : left;
  } catch (error) {
    return { ...ended, files: undefined, moved: undefined, problem: errorText(error) };
  }
}

/** The state of a call that has not ended, by its process. `unknown`: it is not waited for. */
function stateOf({ running = "", at }: KeptEntry): "killed" | "running" | "unknown" {
  const [machine, id] = running.split(" ");
  const ageMs = Date.now() - Date.parse(at);
  if (running === thisProcess || ageMs > maxCallMs) return "killed";
  try {
    return machine === hostname() && process.kill(Number(id), 0) && ageMs < maxWaitMs ? "running" : "unknown";
  } catch (error) {
    return hasCode(error, "ESRCH") ? "killed" : "unknown";
  }
}
