import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { ToolError, quoteName } from "@toolpacks/core";
import { openDirectory, type PinnedDirectory } from "@toolpacks/files";
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
  await measureTree(from, createCopyBudget(limits), options.signal);
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
      await eachChild(source, async (children, names) => {
        const copied = await openDirectory(targetPath, () => true);
        if (copied === undefined) throw changedMeanwhile(target.name);
        try {
          for (const name of names) await copy({ directory: children, name }, { directory: copied, name });
        } finally {
          await copied.close();
        }
      });
    } else throw new ToolError("invalid_input", `${quoteName(source.name)}: a device, pipe or socket cannot be copied`);
    done += 1;
    options.onEntry(done);
  };
  await copy(from, to);
}

/** Counts the entries to copy, so that nothing is written if they exceed the limits. */
async function measureTree(
  { directory, name }: TreeEntry,
  count: ReturnType<typeof createCopyBudget>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const stats = await lstat(directory.at(name));
  count(stats, name);
  if (!stats.isDirectory()) return;
  await eachChild({ directory, name }, async (children, names) => {
    for (const child of names) await measureTree({ directory: children, name: child }, count, signal);
  });
}

/** Deletes an entry with everything below it. Links are deleted, never followed. */
export async function removeTree(entry: TreeEntry, options: TreeOptions): Promise<void> {
  let done = 0;
  const remove = async (one: TreeEntry): Promise<void> => {
    options.signal.throwIfAborted();
    const path = one.directory.at(one.name);
    if ((await lstat(path)).isDirectory()) {
      await eachChild(one, async (directory, names) => {
        for (const name of names) await remove({ directory, name });
      });
      await rmdir(path);
    } else await unlink(path);
    done += 1;
    options.onEntry(done);
  };
  await remove(entry);
}

/** Opens a directory entry without following a link, and lists its names. */
export async function eachChild(
  { directory, name }: TreeEntry,
  use: (children: PinnedDirectory, names: readonly string[]) => Promise<void>,
): Promise<void> {
  const children = await openDirectory(directory.at(name), () => true);
  if (children === undefined) throw changedMeanwhile(name);
  try {
    await use(children, await readdir(children.path));
  } finally {
    await children.close();
  }
}

function changedMeanwhile(name: string): ToolError {
  return new ToolError(
    "conflict",
    `${quoteName(name)}: it was changed meanwhile`,
    "Look at it again, then try once more.",
  );
}

async function copyFile(from: string, to: string, signal: AbortSignal): Promise<void> {
  const noFollow = constants.O_NOFOLLOW ?? 0;
  const source = await open(from, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw new ToolError("invalid_input", "from: a file was replaced while it was copied");
    const target = await open(
      to,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
      stats.mode & 0o7777,
    );
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
