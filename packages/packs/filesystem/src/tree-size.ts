import { lstat } from "node:fs/promises";
import { eachChild, type TreeEntry } from "./copy-tree.ts";

/** Maximum number of counted entries. Counting a larger tree would take longer than renaming it. */
const maxEntries = 20_000;

interface TreeSize {
  readonly bytes: number;
  /** The number of files, if the entry is a directory. */
  readonly files?: number;
}

/** Counts the files of an entry and their bytes. Empty if the tree is too large, was changed meanwhile, or the call was cancelled. */
export async function treeSize(entry: TreeEntry, signal: AbortSignal): Promise<TreeSize | object> {
  let [entries, files, bytes] = [0, 0, 0];
  const count = async ({ directory, name }: TreeEntry): Promise<boolean> => {
    const stats = await lstat(directory.at(name));
    entries += 1;
    if (entries > maxEntries) throw new Error("too many entries");
    signal.throwIfAborted();
    if (stats.isFile()) [files, bytes] = [files + 1, bytes + stats.size];
    if (!stats.isDirectory()) return false;
    await eachChild({ directory, name }, async (children, names) => {
      for (const child of names) await count({ directory: children, name: child });
    });
    return true;
  };
  try {
    const isDirectory = await count(entry);
    return { bytes, ...(isDirectory && { files }) };
  } catch {
    // The move or copy is done, so a failed count must not fail the call.
    return {};
  }
}
