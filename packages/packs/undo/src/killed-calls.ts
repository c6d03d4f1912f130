import { hostname } from "node:os";
import { errorText } from "@toolpacks/core";
import { hasCode, isInside } from "@toolpacks/files";
import type { KeptEntry } from "./entry.ts";
import { changesBetween, type Leaf, leavesAt, leavesOf } from "./leaf.ts";

/** The entries of this process whose calls have not ended, or are not written. */
export const runningEntries = new Set<string>();

/** This process, as its entries name it. */
export const thisProcess = `${hostname()} ${process.pid}`;

/** No call takes longer. */
const maxCallMs = 3_600_000;

/**
 * The entry of a call that has not ended, with what the call has done if its process was killed. Undefined: nothing, or the call goes on.
 *
 * @param later what each path had before newer calls, which is what older ones have left
 */
export function killedCall(
  entry: KeptEntry,
  later: ReadonlyMap<string, Leaf | null>,
  maxFileBytes: number,
): KeptEntry | undefined {
  const { files = [] } = entry;
  if (!isKilled(entry)) return undefined;
  const paths = files.map(({ path }) => path);
  try {
    const now = leavesOf(paths);
    for (const [path, leaf] of later) {
      if (leaf === null) now.delete(path);
      else if (paths.some((one) => isInside(one, path))) now.set(path, leaf);
    }
    const before = leavesAt(files.map((one) => [one.path, one.before]));
    const changed = changesBetween(before, now, maxFileBytes);
    return changed.length === 0 ? undefined : { ...entry, files: changed };
  } catch (error) {
    return { ...entry, files: undefined, problem: errorText(error) };
  }
}

/** Whether the process of a call that has not ended is gone. */
function isKilled({ id, running = "", at }: KeptEntry): boolean {
  if (runningEntries.has(id)) return false;
  if (running === thisProcess || Date.parse(at) < Date.now() - maxCallMs) return true;
  const [machine, pid] = running.split(" ");
  try {
    return machine === hostname() && !process.kill(Number(pid), 0);
  } catch (error) {
    return hasCode(error, "ESRCH");
  }
}
