import { constants } from "node:fs";
import { open, readlink, realpath, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";

const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const hasProc = process.platform === "linux";

/**
 * An open directory whose place was checked after it was opened. Paths made by `at` lead through the descriptor (on
 * Linux), so renaming or replacing the directory or any of its parents changes nothing about where they lead.
 */
export interface PinnedDirectory {
  /** Where it really lies. */
  readonly real: string;
  /** The path of the directory itself, for reading its entries. */
  readonly path: string;
  /** The path of an entry, for functions that do not follow a link in the last place. */
  at(name: string): string;
  /** Writes the directory's entries to disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a directory without following a link in the last place.
 *
 * @param permitted decides, by the real path of what was opened, whether it may be used
 * @returns undefined when it is somewhere that is not permitted
 */
export async function openDirectory(
  directory: string,
  permitted: (real: string) => boolean,
): Promise<PinnedDirectory | undefined> {
  const handle = await open(directory, flags);
  try {
    const real = await whereIs(handle, directory);
    if (real !== undefined && permitted(real)) return pinned(handle, real);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

function pinned(handle: FileHandle, real: string): PinnedDirectory {
  const base = hasProc ? `/proc/self/fd/${handle.fd}` : real;
  return {
    real,
    path: base,
    at: (name) => `${base}${path.sep}${name}`,
    sync: async () => {
      // Some systems cannot sync a directory; the entries are then as safe as that system makes them.
      await handle.sync().catch(() => {});
    },
    close: () => handle.close(),
  };
}

/** The real path of an open directory; undefined when it is gone or, without /proc, when it cannot be told. */
async function whereIs(handle: FileHandle, directory: string): Promise<string | undefined> {
  if (hasProc) {
    const real = await readlink(`/proc/self/fd/${handle.fd}`);
    // The system marks a directory that is gone this way; one may also really be named so.
    if (!real.endsWith(" (deleted)")) return real;
    return (await isSame(handle, real)) ? real : undefined;
  }
  const real = await realpath(directory);
  return (await isSame(handle, real)) ? real : undefined;
}

async function isSame(handle: FileHandle, real: string): Promise<boolean> {
  const [opened, named] = await Promise.all([handle.stat(), stat(real).catch(() => undefined)]);
  return opened.dev === named?.dev && opened.ino === named.ino;
}
