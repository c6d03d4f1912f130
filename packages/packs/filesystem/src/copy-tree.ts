import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readlink, symlink } from "node:fs/promises";
import { ToolError, quoteName } from "@toolpacks/core";
import { eachChild, openEntry, type TreeEntry, type TreeOptions } from "@toolpacks/files";
import { allocatedBytes, copyLimits, createCopyBudget, type CopyLimits } from "./copy-budget.ts";
import { copyData } from "./copy-data.ts";

/** Options of copying a tree. */
export interface CopyOptions extends TreeOptions {
  /** Default `copyLimits`. */
  readonly limits?: CopyLimits;
}

/**
 * Copies an entry, with everything below it, to a free name. Holes of files stay holes, and links stay links. Devices, pipes and sockets are rejected.
 * Nothing is written if the tree exceeds the limits.
 */
export async function copyTree(from: TreeEntry, to: TreeEntry, options: CopyOptions): Promise<void> {
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
