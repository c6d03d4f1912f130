import { readdirSync } from "node:fs";
import path from "node:path";
import { isInside } from "@toolpacks/files";
import type { Move } from "./entry.ts";
import { type FileChange, isSame, type Leaf, readLeaf, withContent } from "./leaf.ts";

export type PlannedFiles = ReturnType<typeof planFiles>;

export type PlannedChange = ReturnType<PlannedFiles["changes"]>[number];

type Leaves = ReadonlyMap<string, Leaf | null>;

/** The files as they would be after moves of what is on the disk, with what would be at paths then. */
export function planFiles(maxFileBytes: number, leaves: Leaves = new Map(), moves: readonly Move[] = []) {
  /** Where on the disk that is which would be at a path. Undefined: it is moved away. */
  const realOf = (place: string): string | undefined => {
    let real = place;
    for (const { from, to } of moves.toReversed()) {
      if (isInside(to, real)) real = from + real.slice(to.length);
      else if (isInside(from, real)) return undefined;
    }
    return real;
  };
  const at = (place: string) => leaves.get(place) ?? (leaves.has(place) ? null : onDisk(realOf(place)));
  const withContentAt = (place: string) => {
    const real = leaves.has(place) ? undefined : realOf(place);
    return real === undefined ? at(place) : withContent(real, readLeaf(real), maxFileBytes);
  };
  return {
    at,
    moves,
    isAt: (place: string, want: Leaf | null) => isSame(at(place), want) || isSame(withContentAt(place), want),
    /** The paths in a folder. */
    inside(folder: string): readonly string[] {
      const real = realOf(folder);
      const names = real !== undefined && readLeaf(real)?.type === "folder" ? readdirSync(real) : [];
      const planned = [...leaves.keys()].filter((one) => path.dirname(one) === folder);
      // A name that is not UTF-8 is there, too, although nothing can be read by its text.
      const isThere = (one: string) => at(one) !== null || (!leaves.has(one) && realOf(one) !== undefined);
      return [...names.map((name) => path.join(folder, name)), ...planned].filter(isThere);
    },
    /** Plans that paths are as before changes. */
    before: (changes: readonly FileChange[]) =>
      planFiles(maxFileBytes, new Map([...leaves, ...changes.map((one) => [one.path, one.before] as const)]), moves),
    move(move: Move) {
      const { from, to } = move;
      const others = [...leaves].filter(([place]) => !isInside(to, place));
      const moved = others.map(
        ([place, leaf]) => [isInside(from, place) ? to + place.slice(from.length) : place, leaf] as const,
      );
      return planFiles(maxFileBytes, new Map([...moved, [to, withContentAt(from)]]), [...moves, move]);
    },
    /** What would change, with where it is on the disk. */
    changes: () => Array.from(leaves, ([place, later]) => ({ path: place, later, real: realOf(place) ?? "" })),
  };
}

function onDisk(real: string | undefined): Leaf | null {
  return real === undefined ? null : readLeaf(real);
}
