import { errorText, type FileEffect, type Outcome } from "@toolpacks/core";
import { isInside, type Root } from "@toolpacks/files";
import { hasFileChanges, type Entry, type KeptEntry, type Move } from "./entry.ts";
import { hasMoved } from "./unended-calls.ts";
import { changesBetween, type Leaf, leavesOf, readLeaf, realPathOf, topmostMissing, withContent } from "./leaf.ts";
import { busy, inTurn } from "./turns.ts";
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
  /** Whether the call changes nothing here, because something is there. */
  readonly isTaken: boolean;
}

/** Runs a call, and keeps how what it does to files is taken back. Calls that may change the same run one after another. */
export async function keepFiles(run: () => Promise<Outcome>, keeping: FileKeeping): Promise<KeptOutcome> {
  if (placesOf(keeping).length === 0) return { outcome: await run() };
  return inTurn(
    () => placePaths(placesOf(keeping)),
    () => keepPlaces(run, keeping),
  );
}

function placePaths(places: readonly Place[]): readonly string[] {
  return places.flatMap(({ path, moved }) => [path, ...(moved === undefined ? [] : [moved.from])]);
}

/** None where the tool will refuse the call. */
function placesOf({ roots, effects }: FileKeeping): readonly Place[] {
  try {
    return effects().map(({ path, follow = true, to, onlyIfMissing = false }) => {
      const real = realPathOf(path, follow);
      const target = to === undefined ? real : realPathOf(to, false);
      if (![real, target].every((one) => roots.some((root) => isInside(root.path, one))))
        throw new Error("it is outside of the roots");
      const leaf = to === undefined ? null : readLeaf(real);
      const moved = leaf === null ? undefined : { from: real, to: target, leaf };
      return { path: topmostMissing(target), moved, isTaken: onlyIfMissing && readLeaf(target) !== null };
    });
  } catch {
    return [];
  }
}

async function keepPlaces(run: () => Promise<Outcome>, keeping: FileKeeping): Promise<KeptOutcome | typeof busy> {
  const { log, entry } = keeping;
  const { maxFileBytes } = log;
  let places: readonly Place[] = [];
  let before = new Map<string, Leaf>();
  const leaves = (without?: string) => new Map(places.flatMap(({ path }) => [...leavesOf(path, without)]));
  let kept: KeptEntry | undefined;
  try {
    kept = await log.begin(() => {
      places = placesOf(keeping).filter(({ isTaken }) => !isTaken);
      if (places.length === 0) return undefined;
      before = leaves();
      const sizes = Array.from(before.values(), (leaf) => (leaf.type === "file" ? leaf.size : 0));
      if (sizes.reduce((sum, size) => sum + size, 0) > maxFileBytes) throw new Error("it is too large to be kept");
      for (const [path, leaf] of before) before.set(path, withContent(path, leaf, maxFileBytes));
      const paths = [...new Set([...places.map(({ path }) => path), ...before.keys()])];
      const files = paths.map((path) => ({ path, before: before.get(path) ?? null }));
      const moved = places.find((place) => place.moved)?.moved;
      const top = moved && { ...moved, leaf: withContent(moved.from, moved.leaf, maxFileBytes) };
      return { entry: { ...entry, files, moved: top }, paths: placePaths(places) };
    });
  } catch (error) {
    return { outcome: await run(), problem: errorText(error) };
  }
  if (places.length === 0) return { outcome: await run() };
  if (kept === undefined) return busy;
  const outcome = await run();
  try {
    const moved = kept.moved && hasMoved(kept.moved) ? kept.moved : undefined;
    if (kept.moved !== undefined && moved === undefined && outcome.ok && readLeaf(kept.moved.from) === null)
      throw new Error("it was moved to another device");
    const changed = { ...entry, files: changesBetween(before, leaves(moved?.to), maxFileBytes), moved };
    log.end(kept, hasFileChanges(changed) ? changed : undefined);
    return { outcome };
  } catch (error) {
    log.end(kept, undefined);
    return { outcome, problem: errorText(error) };
  }
}
