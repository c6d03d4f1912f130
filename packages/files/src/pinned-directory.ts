import { constants } from "node:fs";
import { lstat, open, readlink, realpath, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "./file-error.ts";

/** The real path of a path whose last part need not exist. Links in the other parts are resolved. */
export async function resolveLinks(full: string, follow: boolean): Promise<string> {
  if (follow) {
    try {
      return await realpath(full);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      // A dangling link must not be followed, because its target may be outside of the roots.
      const entry = await lstat(full).catch(() => undefined);
      if (entry?.isSymbolicLink()) throw Object.assign(new Error("dangling link"), { code: "ELOOP" });
    }
  }
  return path.join(await realpath(path.dirname(full)), path.basename(full));
}

interface ExistingPath {
  readonly lexical: string;
  readonly real: string;
}

/** The path itself or its nearest parent that exists. Found by bisection, because a path may have thousands of parts. */
export async function deepestExisting(full: string): Promise<ExistingPath> {
  const { root } = path.parse(full);
  const parts = full.slice(root.length).split(path.sep);
  let [low, high] = [0, parts.length];
  let found: ExistingPath = { lexical: root, real: root };
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const lexical = path.join(root, ...parts.slice(0, middle));
    const real = await realpath(lexical).catch(() => undefined);
    if (real === undefined) high = middle - 1;
    else [low, found] = [middle, { lexical, real }];
  }
  return found;
}

const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const hasProc = process.platform === "linux";

/**
 * An open directory whose location was checked after it was opened. On Linux, paths from `at` use the file descriptor, so they stay valid when
 * the directory or a parent is renamed or replaced.
 */
export interface PinnedDirectory {
  /** The real path of the directory. */
  readonly real: string;
  /** The path of the directory itself, for reading its entries. */
  readonly path: string;
  /** The path of an entry, for functions that do not follow a link at the end of a path. */
  at(name: string): string;
  /** Writes the directory's entries to disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a directory without following a link at the end of the path.
 *
 * @param isPermitted decides by the real path whether the opened directory may be used
 * @returns undefined if the directory is not permitted
 */
export async function openDirectory(
  directory: string,
  isPermitted: (real: string) => boolean,
): Promise<PinnedDirectory | undefined> {
  const handle = await open(directory, flags);
  try {
    const real = await realPathOf(handle, directory);
    if (real !== undefined && isPermitted(real)) return pinDirectory(handle, real);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

function pinDirectory(handle: FileHandle, real: string): PinnedDirectory {
  const base = hasProc ? `/proc/self/fd/${handle.fd}` : real;
  return {
    real,
    path: base,
    at: (name) => `${base}${path.sep}${name}`,
    sync: async () => {
      // Some systems cannot sync a directory.
      await handle.sync().catch(() => {});
    },
    close: () => handle.close(),
  };
}

/** The real path of an open directory. Undefined if it was deleted or, without /proc, moved. */
async function realPathOf(handle: FileHandle, directory: string): Promise<string | undefined> {
  if (hasProc) {
    const real = await readlink(`/proc/self/fd/${handle.fd}`);
    // Linux adds this suffix to a deleted directory. A directory may also really have this name.
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
