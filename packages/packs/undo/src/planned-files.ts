import { readdirSync } from "node:fs";
import path from "node:path";
import { isInside } from "@toolpacks/files";
import { type FileChange, isSame, type Leaf, readLeaf, withContent } from "./leaf.ts";

/** A move, and after it what stands at paths. */
interface Layer {
  readonly move: { readonly from: string; readonly to: string } | undefined;
  readonly leaves: Map<string, Leaf | null>;
}

export type PlannedFiles = ReturnType<typeof planFiles>;

/** The files as they would be after changes that are not made. Other paths are as they are. */
export function planFiles(maxFileBytes: number) {
  const layers: Layer[] = [{ move: undefined, leaves: new Map() }];
  /** What is planned at a path, or where on the disk the plans leave it. */
  const find = (place: string): { readonly leaf: Leaf | null } | { readonly real: string } => {
    let real = place;
    for (const { move, leaves } of layers.toReversed()) {
      const leaf = leaves.get(real);
      if (leaf !== undefined) return { leaf };
      if (move !== undefined && isInside(move.to, real)) real = move.from + real.slice(move.to.length);
      else if (move !== undefined && isInside(move.from, real)) return { leaf: null };
    }
    return { real };
  };
  const at = (place: string): Leaf | null => {
    const found = find(place);
    return "leaf" in found ? found.leaf : readLeaf(found.real);
  };
  return {
    at,
    isAt(place: string, want: Leaf | null): boolean {
      const found = find(place);
      if ("leaf" in found) return isSame(found.leaf, want);
      const leaf = readLeaf(found.real);
      return isSame(leaf, want) || isSame(withContent(found.real, leaf, maxFileBytes), want);
    },
    /** The paths in a folder. */
    inside(folder: string): readonly string[] {
      const found = find(folder);
      const isOnDisk = "real" in found && readLeaf(found.real)?.type === "folder";
      const names = isOnDisk ? readdirSync(found.real).map((name) => path.join(folder, name)) : [];
      const planned = layers.flatMap(({ move, leaves }) => [
        ...(move === undefined ? [] : [move.to]),
        ...leaves.keys(),
      ]);
      const inIt = [...names, ...planned].filter((one) => path.dirname(one) === folder);
      return inIt.filter((one) => at(one) !== null);
    },
    move(move: NonNullable<Layer["move"]>): void {
      layers.push({ move, leaves: new Map() });
    },
    /** Takes back the last `move`. */
    unmove(): void {
      layers.pop();
    },
    /** Plans that paths are as before changes. */
    set(changes: readonly FileChange[]): void {
      for (const { path: place, before } of changes) layers.at(-1)?.leaves.set(place, before);
    },
    /** All paths that would change, with what is there now and what would be. */
    changes(): readonly { readonly path: string; readonly now: Leaf | null; readonly later: Leaf | null }[] {
      const paths = new Set(layers.flatMap(({ leaves }) => [...leaves.keys()]));
      return Array.from(paths, (one) => ({ path: one, now: readLeaf(one), later: at(one) }));
    },
    moves: () => layers.flatMap(({ move }) => move ?? []),
  };
}
