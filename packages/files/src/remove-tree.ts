import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { ToolError, quoteName } from "@toolpacks/core";
import { openDirectory, type PinnedDirectory } from "./pinned-directory.ts";

/** An entry of an open directory: a file, a directory or a link. */
export interface TreeEntry {
  readonly directory: PinnedDirectory;
  readonly name: string;
}

export interface TreeOptions {
  readonly signal: AbortSignal;
  /** Called after each entry with the number of entries so far. */
  readonly onEntry: (done: number) => void;
}

/** Deletes an entry with everything below it. Links are deleted, never followed. */
export async function removeTree(entry: TreeEntry, options: TreeOptions): Promise<void> {
  let done = 0;
  const remove = async (one: TreeEntry): Promise<void> => {
    options.signal.throwIfAborted();
    const path = one.directory.at(one.name);
    if ((await lstat(path)).isDirectory()) {
      await eachChild(one, remove);
      await rmdir(path);
    } else await unlink(path);
    done += 1;
    options.onEntry(done);
  };
  await remove(entry);
}

/** Calls a function for each entry of a directory, which is open meanwhile. */
export async function eachChild(entry: TreeEntry, use: (child: TreeEntry) => Promise<void>): Promise<void> {
  const directory = await openEntry(entry);
  try {
    for (const name of await readdir(directory.path)) await use({ directory, name });
  } finally {
    await directory.close();
  }
}

/** Opens a directory entry without following a link. */
export async function openEntry({ directory, name }: TreeEntry): Promise<PinnedDirectory> {
  const opened = await openDirectory(directory.at(name), () => true);
  if (opened !== undefined) return opened;
  const hint = "Look at it again, then try once more.";
  throw new ToolError("conflict", `${quoteName(name)}: it was changed meanwhile`, hint);
}
