import { visitTree, type TreeEntry } from "./copy-tree.ts";

/** Maximum number of counted entries. Counting a larger tree would take longer than renaming it. */
const maxEntries = 20_000;

/** Counts the files of an entry and their bytes; `files` is the number of files in a directory. Empty if the tree is too large, was changed meanwhile, or the call was cancelled. */
export async function treeSize(entry: TreeEntry, signal: AbortSignal) {
  let [entries, directories, files, bytes] = [0, 0, 0, 0];
  try {
    await visitTree(entry, (stats) => {
      entries += 1;
      if (entries > maxEntries) throw new Error("too many entries");
      signal.throwIfAborted();
      if (stats.isDirectory()) directories += 1;
      if (stats.isFile()) [files, bytes] = [files + 1, bytes + stats.size];
    });
    return { bytes, files: directories > 0 ? files : undefined };
  } catch {
    // The move or copy is done, so a failed count must not fail the call.
    return {};
  }
}
