import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { openDirectory, quoteName, type PinnedDirectory } from "@toolpacks/core/roots";
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
}

/** Reading a hole takes time, though nothing is stored there. */
const maxHoleBytes = 64 * 1024 ** 3;

/** Copies an entry and what is below it to a free name, holes of files as holes. Links are copied as links; devices, pipes and sockets are refused. */
export async function copyTree(from: EntryOf, to: EntryOf, options: TreeOptions): Promise<void> {
  let done = 0;
  let holeBytes = 0;
  const countHoles = (stats: Stats, name: string) => {
    holeBytes += Math.max(0, stats.size - allocatedBytes(stats));
    if (holeBytes > maxHoleBytes) {
      throw new ToolError("too_large", `${quoteName(name)}: expected at most 64 GiB of holes in what is copied`);
    }
  };
  const copy = async (source: EntryOf, target: EntryOf): Promise<void> => {
    options.signal.throwIfAborted();
    const [path, place] = [source.directory.at(source.name), target.directory.at(target.name)];
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) await symlink(await readlink(path), place);
    else if (stats.isFile()) {
      countHoles(stats, source.name);
      await copyFile(path, place, options.signal);
    } else if (stats.isDirectory()) {
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

/** What a file takes on disk; less than its size where it has holes. */
function allocatedBytes({ blocks }: Stats): number {
  return blocks * 512;
}
