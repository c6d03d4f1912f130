import { visitTree, type TreeEntry } from "./copy-tree.ts";

/** Maximum number of counted entries. Counting a larger tree would take longer than renaming it. */
const maxEntries = 20_000;

interface TreeSize {
  readonly bytes: number;
  /** The number of files, if the entry is a directory. */
  readonly files?: number;
}

/** Counts the files of an entry and their bytes. Empty if the tree is too large, was changed meanwhile, or the call was cancelled. */
export async function treeSize(entry: TreeEntry, signal: AbortSignal): Promise<TreeSize | object> {
  let [entries, directories, files, bytes] = [0, 0, 0, 0];
  try {
    await visitTree(entry, (stats) => {
      entries += 1;
      if (entries > maxEntries) throw new Error("too many entries");
      signal.throwIfAborted();
      if (stats.isDirectory()) directories += 1;
      if (stats.isFile()) [files, bytes] = [files + 1, bytes + stats.size];
    });
    return { bytes, ...(directories > 0 && { files }) };
  } catch {
    // The move or copy is done, so a failed count must not fail the call.
    return {};
  }
}
