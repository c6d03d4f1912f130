import { errorText, type FileEffect, type Outcome } from "@toolpacks/core";
import { isInside, type Root } from "@toolpacks/files";
import { hasChanges, type Entry, type KeptEntry, type Move } from "./entry.ts";
import { hasMoved } from "./killed-calls.ts";
import { changesBetween, type Leaf, leavesOf, readLeaf, realPathOf, topmostMissing, withContent } from "./leaf.ts";
import type { UndoLog } from "./undo-log.ts";

export interface FileKeeping {
  readonly log: UndoLog;
  readonly roots: readonly Root[];
  /** The entry of the call, without its changes. */
  readonly entry: Entry;
  /** What the call may change. */
  readonly effects: () => readonly FileEffect[];
}

interface KeptOutcome {
  readonly outcome: Outcome;
  /** Why the call cannot be taken back. */
  readonly problem?: string;
}

/** What a call may change: a path with all below it, and what it moves to there. */
interface Place {
  readonly path: string;
  readonly moved?: Move | undefined;
}

/** The calls that run, with the paths that they may change. */
const running = new Map<Promise<unknown>, readonly string[]>();

/** Runs a call, and keeps how what it does to files is taken back. Calls that may change the same run one after another. */
export async function keepFiles(run: () => Promise<Outcome>, keeping: FileKeeping): Promise<KeptOutcome> {
  for (;;) {
    const places = placesOf(keeping);
    if (places.length === 0) return { outcome: await run() };
    const paths = places.flatMap(({ path, moved }) => [path, ...(moved === undefined ? [] : [moved.from])]);
    const overlaps = (other: readonly string[]) =>
      other.some((one) => paths.some((path) => isInside(one, path) || isInside(path, one)));
    const other = [...running].find(([, changed]) => overlaps(changed))?.[0];
    // It may create a folder of these paths.
    if (other !== undefined) await other.catch(() => {});
    else {
      const done = keepPlaces(run, places, keeping);
      running.set(done, paths);
      return done.finally(() => running.delete(done));
    }
  }
}

/** None where the tool will refuse the call. */
function placesOf({ roots, effects }: FileKeeping): readonly Place[] {
  try {
    return effects().map(({ path, follow = true, to }) => {
      const real = realPathOf(path, follow);
      const target = to === undefined ? real : realPathOf(to, false);
      if (![real, target].every((one) => roots.some((root) => isInside(root.path, one))))
        throw new Error("it is outside of the roots");
      const leaf = to === undefined ? null : readLeaf(real);
      return { path: topmostMissing(target), moved: leaf === null ? undefined : { from: real, to: target, leaf } };
    });
  } catch {
    return [];
  }
}

async function keepPlaces(
  run: () => Promise<Outcome>,
  places: readonly Place[],
  { log, entry }: FileKeeping,
): Promise<KeptOutcome> {
  const { maxFileBytes } = log;
  const moved = places.find((place) => place.moved !== undefined)?.moved;
  const leaves = (without?: string) => new Map(places.flatMap(({ path }) => [...leavesOf(path, without)]));
  let before = new Map<string, Leaf>();
  let kept: KeptEntry;
  try {
    before = leaves();
    const sizes = Array.from(before.values(), (leaf) => (leaf.type === "file" ? leaf.size : 0));
    if (sizes.reduce((sum, size) => sum + size, 0) > maxFileBytes) throw new Error("it is too large to be kept");
    for (const [path, leaf] of before) before.set(path, withContent(path, leaf, maxFileBytes));
    const paths = [...new Set([...places.map(({ path }) => path), ...before.keys()])];
    const files = paths.map((path) => ({ path, before: before.get(path) ?? null }));
    const top = moved && { ...moved, leaf: withContent(moved.from, moved.leaf, maxFileBytes) };
    kept = await log.begin({ ...entry, files, moved: top });
  } catch (error) {
    return { outcome: await run(), problem: errorText(error) };
  }
  const outcome = await run();
  try {
    const isMoved = hasMoved(kept.moved, (path) => withContent(path, readLeaf(path), maxFileBytes));
    const files = changesBetween(before, leaves(isMoved ? kept.moved?.to : undefined), maxFileBytes);
    const changed = { ...entry, files, moved: isMoved ? kept.moved : undefined };
    log.end(kept, hasChanges(changed) ? changed : undefined);
    return { outcome };
  } catch (error) {
    log.end(kept, undefined);
    return { outcome, problem: errorText(error) };
  }
}
