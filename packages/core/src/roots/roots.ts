import { constants, realpathSync, statSync, type Stats } from "node:fs";
import { open, readdir, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { nearest } from "../nearest.ts";
import { ToolError } from "../tool-error.ts";
import { fileError } from "./file-error.ts";
import { openFound } from "./open-found.ts";
import { makeDirectories, type MakeDirectoriesOptions } from "./make-directories.ts";
import { openDirectory, type PinnedDirectory } from "./pinned-directory.ts";
import { createProtection, type Access, type Protection, type ProtectionOptions } from "./protection.ts";
import { quoteName } from "./quote-name.ts";
import {
  deepestExisting,
  isInside,
  isMissing,
  outside,
  resolveLexically,
  resolveLinks,
  rootOf,
  show,
  type Root,
  type RootList,
} from "./resolve-path.ts";

/** Where a path leads: an entry of an open directory inside a root. The entry itself need not exist. */
export interface RootEntry {
  readonly root: Root;
  readonly directory: PinnedDirectory;
  /** The entry's name in the directory, or `.` for a root itself. */
  readonly name: string;
  /** The path of the entry, for functions that do not follow a link in the last place. */
  readonly path: string;
  /** The path as a caller knows it: relative to the root, after the root's name where there are several. */
  readonly shown: string;
  readonly isRoot: boolean;
  /** True for a root and for a directory that holds one: neither may be moved, replaced or removed. */
  readonly holdsRoot: boolean;
}

export interface RootEntryOptions {
  /** False takes a link in the last place for itself, as moving and deleting do. Default true. */
  readonly follow?: boolean;
  /** What is done there. Whoever changes anything must say so: protected paths are refused by it. Default `read`. */
  readonly access?: Access;
}

/**
 * The only way to a user's files. A path is relative to the one root, or begins with a root's name where there are several,
 * or is absolute inside a root. `..`, links and races lead nowhere else: `denied`. Protected paths can be read and not changed.
 */
export interface Roots {
  readonly list: readonly Root[];
  /** Finds a path's place, holds its directory open while `use` runs, and turns the system's errors into ones for a model. */
  at<T>(path: string, use: (place: RootEntry) => Promise<T>, options?: RootEntryOptions): Promise<T>;
  /** Opens an existing regular file, and checks what was opened. The caller closes it. */
  openFile(path: string, use: (file: FileHandle, stats: Stats, shown: string) => Promise<void>): Promise<void>;
  /**
   * Makes a directory and those above it that are missing.
   *
   * @returns whether it made any
   */
  makeDirectories(path: string, options: MakeDirectoriesOptions): Promise<boolean>;
  /** Opens an existing directory itself. `use` gets it as a directory to read. */
  openDirectory<T>(path: string, use: (directory: PinnedDirectory, place: RootEntry) => Promise<T>): Promise<T>;
  /**
   * Opens a file by the path that a walk of a root showed for it, with no link on the way. Synchronous.
   *
   * @returns undefined where there is no such file, or no longer
   */
  openFound<T>(shown: string, use: (descriptor: number, stats: Stats) => T): T | undefined;
  /** How a caller knows a real path inside a root. */
  show(real: string): string;
}

/**
 * @param directories at least one; relative ones are resolved against the working directory
 * @throws Error when one does not exist or is not a directory, or for a protected name or path that cannot be meant
 */
export function createRoots(directories: readonly string[], options?: ProtectionOptions): Roots {
  const reals = directories.map(realRoot);
  const list = nameRoots(reals);
  const aliases = new Map(
    directories.map((given, at) => [path.resolve(given), list.find((one) => one.path === reals[at])]),
  );
  const context: Context = { list, aliases, protection: createProtection(options) };
  const roots: Roots = {
    list,
    show: (real) => show(context, real),
    openFound: (shown, use) => openFound(resolveLexically(context, shown).full, use),
    async at(given, use, { follow = true, access = "read" } = {}) {
      try {
        const place = await locate(context, given, { follow, access });
        try {
          return await use(place);
        } finally {
          await place.directory.close();
        }
      } catch (error) {
        throw fileError(error, given);
      }
    },
    makeDirectories: (given, how) =>
      makeDirectories(context, given, how).catch((error: unknown) => {
        throw fileError(error, given);
      }),
    openFile: (given, use) =>
      roots.at(given, async (place) => {
        const file = await openRegular(place);
        try {
          await use(file, await file.stat(), place.shown);
        } finally {
          await file.close();
        }
      }),
    openDirectory: (given, use) =>
      roots.at(given, async (place) => {
        const directory = await openDirectory(place.path, (real) => isInside(place.root.path, real)).catch(
          async (error: unknown) => {
            throw await explainMissing(error, place);
          },
        );
        if (directory === undefined) throw outside(given, context);
        try {
          return await use(directory, place);
        } finally {
          await directory.close();
        }
      }),
  };
  return roots;
}

interface Context extends RootList {
  readonly protection: Protection;
}

function realRoot(directory: string): string {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`root ${directory}: expected an existing directory`);
  }
  return realpathSync(directory);
}

function nameRoots(paths: readonly string[]): readonly Root[] {
  const taken = new Set<string>();
  return [...new Set(paths)].map((real) => {
    const base = path.basename(real) || "root";
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}-${count}`;
    taken.add(name);
    return { name, path: real };
  });
}

async function locate(
  context: Context,
  given: string,
  { follow, access }: Required<RootEntryOptions>,
): Promise<RootEntry> {
  const { root, full } = resolveLexically(context, given);
  const real = await resolveLinks(full, follow && full !== root.path).catch(async (error: unknown) => {
    // What exists outside must not be told by which error comes back.
    if (rootOf(context, (await deepestExisting(full)).real) === undefined) throw outside(given, context);
    throw error;
  });
  const owner = rootOf(context, real);
  if (owner === undefined) throw outside(given, context);
  await context.protection.check({ lexical: full, real, shown: show(context, real) }, access);
  const isRoot = real === owner.path;
  const parent = isRoot ? real : path.dirname(real);
  const directory = await openDirectory(parent, (opened) => isInside(owner.path, opened));
  if (directory === undefined) throw outside(given, context);
  const name = isRoot ? "." : path.basename(real);
  return {
    root: owner,
    directory,
    name,
    path: directory.at(name),
    shown: show(context, real),
    isRoot,
    holdsRoot: context.list.some((one) => isInside(real, one.path)),
  };
}

/** Opens first and checks the descriptor: not a link, not a directory, not a device, socket or pipe (which could hang). */
async function openRegular(place: RootEntry): Promise<FileHandle> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(place.path, flags).catch(async (error: unknown) => {
    throw await explainMissing(error, place);
  });
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  const kind = stats.isDirectory() ? "a directory; fs_list shows what is in it" : "a device, pipe or socket";
  throw new ToolError("invalid_input", `${quoteName(place.shown)}: expected a file, this is ${kind}`);
}

/** Adds the names nearest to one that does not exist. */
async function explainMissing(error: unknown, { directory, name, shown }: RootEntry): Promise<unknown> {
  if (!isMissing(error)) return error;
  const near = nearest(name, await readdir(directory.path).catch(() => []));
  return new ToolError(
    "not_found",
    `${quoteName(shown)}: there is no such file or directory`,
    near.length > 0 ? `Nearest in its folder: ${near.map(quoteName).join(", ")}.` : undefined,
  );
}
