import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { ToolError, quoteName } from "@toolpacks/core";
import { hasCode, openDirectory, type PinnedDirectory } from "@toolpacks/files";
import { allocatedBytes, copyLimits, createCopyBudget, type CopyLimits } from "./copy-budget.ts";
import { copyData } from "./copy-data.ts";

/** An entry of an open directory: a file, a directory or a link. */
export interface TreeEntry {
  readonly directory: PinnedDirectory;
  readonly name: string;
}

export interface TreeOptions {
  readonly signal: AbortSignal;
  /** Called after each entry with the number of entries so far. */
  readonly onEntry: (done: number) => void;
  /** Default `copyLimits`. */
  readonly limits?: CopyLimits;
}

/**
 * Copies an entry, with everything below it, to a free name. Holes of files stay holes, and links stay links. Devices, pipes and sockets are rejected.
 * Nothing is written if the tree exceeds the limits.
 */
export async function copyTree(from: TreeEntry, to: TreeEntry, options: TreeOptions): Promise<void> {
  const limits = options.limits ?? copyLimits;
  const measure = createCopyBudget(limits);
  await visitTree(from, (stats, name) => {
    options.signal.throwIfAborted();
    measure(stats, name);
  });
  // Count again, because entries may be added meanwhile.
  const count = createCopyBudget(limits);
  let done = 0;
  const copy = async (source: TreeEntry, target: TreeEntry): Promise<void> => {
    options.signal.throwIfAborted();
    const [path, targetPath] = [source.directory.at(source.name), target.directory.at(target.name)];
    const stats = await lstat(path);
    count(stats, source.name);
    if (stats.isSymbolicLink()) await symlink(await readlink(path), targetPath);
    else if (stats.isFile()) await copyFile(path, targetPath, options.signal);
    else if (stats.isDirectory()) {
      await mkdir(targetPath, stats.mode & 0o7777);
      const directory = await openEntry(target);
      try {
        await eachChild(source, (child) => copy(child, { directory, name: child.name }));
      } finally {
        await directory.close();
      }
    } else throw new ToolError("invalid_input", `${quoteName(source.name)}: a device, pipe or socket cannot be copied`);
    done += 1;
    options.onEntry(done);
  };
  await copy(from, to);
}

/** Visits an entry and everything below it. Links are not followed. */
export async function visitTree(entry: TreeEntry, visit: (stats: Stats, name: string) => void): Promise<void> {
  const stats = await lstat(entry.directory.at(entry.name));
  visit(stats, entry.name);
  if (stats.isDirectory()) await eachChild(entry, (child) => visitTree(child, visit));
}

/** Fails before anything is removed where a name is not UTF-8, since such an entry cannot be removed. */
export async function requireNames(entry: TreeEntry, signal: AbortSignal): Promise<void> {
  await visitTree(entry, () => signal.throwIfAborted()).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
    throw new ToolError("conflict", `${quoteName(entry.name)}: a name in it is not UTF-8, or it was changed meanwhile`);
  });
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

async function eachChild(entry: TreeEntry, use: (child: TreeEntry) => Promise<void>): Promise<void> {
  const directory = await openEntry(entry);
  try {
    for (const name of await readdir(directory.path)) await use({ directory, name });
  } finally {
    await directory.close();
  }
}

/** Opens a directory entry without following a link. */
async function openEntry({ directory, name }: TreeEntry): Promise<PinnedDirectory> {
  const opened = await openDirectory(directory.at(name), () => true);
  if (opened !== undefined) return opened;
  const hint = "Look at it again, then try once more.";
  throw new ToolError("conflict", `${quoteName(name)}: it was changed meanwhile`, hint);
}

async function copyFile(from: string, to: string, signal: AbortSignal): Promise<void> {
  const source = await open(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw new ToolError("invalid_input", "from: a file was replaced while it was copied");
    const target = await open(to, "wx", stats.mode & 0o7777);
    try {
      if (allocatedBytes(stats) < stats.size) await copyData(source, target, { size: stats.size, signal });
      else await target.writeFile(source.createReadStream({ autoClose: false }), { signal });
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
