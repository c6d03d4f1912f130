import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { openDirectory, quoteName, type PinnedDirectory } from "@toolpacks/core/roots";
import { allocatedBytes, copyLimits, createCopyBudget, type CopyLimits } from "./copy-budget.ts";
import { copyData } from "./copy-data.ts";

/** An entry of an open directory. */
interface EntryOf {
  readonly directory: PinnedDirectory;
  readonly name: string;
}

export interface TreeOptions {
  readonly signal: AbortSignal;
  /** Told the number of entries done so far. */
  readonly onEntry: (done: number) => void;
  /** Default `copyLimits`. */
  readonly limits?: CopyLimits;
}

/**
 * Copies an entry and what is below it to a free name, holes of files as holes. Links are copied as links; devices, pipes and sockets are refused.
 * Nothing is written where there is more than the limits allow.
 */
export async function copyTree(from: EntryOf, to: EntryOf, options: TreeOptions): Promise<void> {
  const limits = options.limits ?? copyLimits;
  await measureTree(from, createCopyBudget(limits), options.signal);
  // Entries may be added meanwhile.
  const count = createCopyBudget(limits);
  let done = 0;
  const copy = async (source: EntryOf, target: EntryOf): Promise<void> => {
    options.signal.throwIfAborted();
    const [path, place] = [source.directory.at(source.name), target.directory.at(target.name)];
    const stats = await lstat(path);
    count(stats, source.name);
    if (stats.isSymbolicLink()) await symlink(await readlink(path), place);
    else if (stats.isFile()) await copyFile(path, place, options.signal);
    else if (stats.isDirectory()) {
      await mkdir(place, stats.mode & 0o7777);
      await eachChild(source, async (children, names) => {
        const copied = await openDirectory(place, () => true);
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

/** Visits what would be copied, so that nothing is written where it is too much. */
async function measureTree(
  { directory, name }: EntryOf,
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

/** Removes an entry for good, with what is below it. Links are removed, never followed. */
export async function removeTree(entry: EntryOf, options: TreeOptions): Promise<void> {
  let done = 0;
  const remove = async (one: EntryOf): Promise<void> => {
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

async function eachChild(
  { directory, name }: EntryOf,
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
