import { quoteName, ToolError } from "@toolpacks/core";
import { createRoots, isInside, type Root, type RootEntry } from "@toolpacks/files";
import type { UndoOptions } from "./undo-options.ts";

type Use = (entry: RootEntry) => Promise<void>;

/** Where undo may change files. */
export function createUndoRoots({ rootsByPack = {}, roots, protection }: UndoOptions) {
  const folders = roots ?? Object.values(rootsByPack).flat();
  const opened = folders.length === 0 ? undefined : createRoots(folders, protection);
  const list = opened?.list ?? [];
  const byPack = new Map(Object.entries(rootsByPack).map(([pack, own]) => [pack, rootsIn(own)]));
  const isIn = (own: readonly Root[], real: string) => own.some((root) => isInside(root.path, real));
  const protects = (real: string) => opened?.protects(real) === true;
  /** The path by which a caller knows a real path. */
  const show = (real: string) => quoteName(opened && isIn(list, real) ? opened.show(real) : real);
  return {
    roots: list,
    show,
    /** Whether no undo may change a real path. Links that lead there are not looked for. */
    protects,
    /** @throws ToolError `denied` for a real path that is protected or out of the roots, whatever is on the disk */
    requireChangeable(real: string): void {
      const problem = isIn(list, real) ? protects(real) && "it is protected" : "it is out of the roots";
      if (problem !== false) throw new ToolError("denied", `${show(real)}: ${problem}`);
    },
    /**
     * Opens an entry of the file system to change it.
     *
     * @param access `replace` to move it, with all below it. Default: to make, write or remove it alone
     * @throws ToolError `denied` for a protected path and one out of the roots
     */
    async change(real: string, use: Use, access: "write" | "replace" = "write"): Promise<void> {
      if (opened === undefined) throw new ToolError("denied", "this server has no folder for files");
      return opened.at(real, use, { follow: false, access });
    },
    /** Whether the tools of a pack may change real paths. */
    mayChange: (pack: string, reals: readonly string[]) => reals.every((real) => isIn(byPack.get(pack) ?? list, real)),
  };
}

function rootsIn(folders: readonly string[]): readonly Root[] {
  return folders.length === 0 ? [] : createRoots(folders).list;
}
