import { readdirSync } from "node:fs";
import path from "node:path";
import { isInside } from "@toolpacks/files";
import type { Move } from "./entry.ts";
import { type FileChange, isSame, type Leaf, readLeaf, withContent } from "./leaf.ts";

/** A move, and after it what stands at paths. */
export interface Layer {
  readonly move?: Omit<Move, "leaf"> | undefined;
  readonly leaves: Map<string, Leaf | null>;
}

export type PlannedFiles = ReturnType<typeof planFiles>;

/** The files as they would be after changes that are not made. Other paths are as they are. */
export function planFiles(maxFileBytes: number, layers: readonly Layer[] = [{ leaves: new Map() }]) {
  /** What is planned at a path, or what the plans leave there of another path on the disk. */
  const find = (place: string): { readonly leaf: Leaf | null; readonly real?: string } => {
    let real = place;
    for (const { move, leaves } of layers.toReversed()) {
      const leaf = leaves.get(real);
      if (leaf !== undefined) return { leaf };
      if (move !== undefined && isInside(move.to, real)) real = move.from + real.slice(move.to.length);
      else if (move !== undefined && isInside(move.from, real)) return { leaf: null };
    }
    return { leaf: readLeaf(real), real };
  };
  const at = (place: string) => find(place).leaf;
  /** The planned paths, as the later moves leave them. */
  const plannedPaths = () =>
    layers.flatMap(({ move, leaves }, layer) => {
      const places = [...(move ? [move.to] : []), ...leaves.keys()];
      return places.map((place) => layers.slice(layer + 1).reduce(moveOn, place));
    });
  return {
    layers,
    at,
    isAt(place: string, want: Leaf | null): boolean {
      const { leaf, real } = find(place);
      return isSame(leaf, want) || (real !== undefined && isSame(withContent(real, leaf, maxFileBytes), want));
    },
    /** The paths in a folder. */
    inside(folder: string): readonly string[] {
      const { leaf, real } = find(folder);
      const names = real !== undefined && leaf?.type === "folder" ? readdirSync(real) : [];
      const inIt = plannedPaths().filter((one) => path.dirname(one) === folder);
      return [...names.map((name) => path.join(folder, name)), ...inIt].filter((one) => at(one) !== null);
    },
    /** Plans that paths are as before changes. */
    set(changes: readonly FileChange[]): void {
      for (const { path: place, before } of changes) layers.at(-1)?.leaves.set(place, before);
    },
    /** All paths that would change, with what is there now and what would be. */
    changes() {
      const paths = new Set(layers.flatMap(({ leaves }) => [...leaves.keys()]));
      return Array.from(paths, (one) => ({ path: one, now: readLeaf(one), later: at(one) }));
    },
    moves: () => layers.flatMap(({ move }) => move ?? []),
  };
}

/** Where a move leaves a path. */
function moveOn(place: string, { move }: Layer): string {
  return move !== undefined && isInside(move.from, place) ? move.to + place.slice(move.from.length) : place;
}
