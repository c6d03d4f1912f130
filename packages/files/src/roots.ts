import { realpathSync, statSync, type Stats } from "node:fs";
import { readdir, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { nearest, ToolError, quoteName } from "@toolpacks/core";
import { fileError, hasCode } from "./file-error.ts";
import { openExisting } from "./open-existing.ts";
import { openFound } from "./open-found.ts";
import { makeDirectories, type MakeDirectoriesOptions } from "./make-directories.ts";
import { createProtection, type Access, type Protection, type ProtectionOptions } from "./protection.ts";
import { deepestExisting, openDirectory, resolveLinks, type PinnedDirectory } from "./pinned-directory.ts";
import { isInside, outside, resolveLexically, rootOf, show, type Root, type RootList } from "./root-paths.ts";

/** The entry that a path resolves to, in an open directory inside a root. The entry need not exist. */
export interface RootEntry {
  readonly root: Root;
  readonly directory: PinnedDirectory;
  /** The entry's name in the directory, or `.` for a root itself. */
  readonly name: string;
  /**
   * The path of the entry, for functions that do not follow a link at the end of a path. Change what is there only with the access for it: nothing else
   * checks for protected names.
   */
  readonly path: string;
  /** The path as a caller knows it: relative to the root, with the root's name in front if there are several. */
  readonly shown: string;
  /** The access that it was opened with. */
  readonly access: Access;
  readonly isRoot: boolean;
  /** True for a root and for a directory that contains one. Neither can be moved, replaced or removed. */
  readonly holdsRoot: boolean;
}

export interface RootEntryOptions {
  /** Whether a link at the end of the path is followed. Moving and deleting set this to false. Default true. */
  readonly follow?: boolean;
  /**
   * How the entry is used: `write`, or `replace` with `follow: false` to move or delete. Changes of protected paths are refused only to a caller that
   * sets this. Default `read`.
   */
  readonly access?: Access;
}

/**
 * The access to a user's files; there is no other. A path is relative to the only root, starts with a root's name if there are several, or is
 * absolute inside a root. A path out of the roots by `..`, links or races is `denied`. Protected paths can be read and not changed, also where their folder is
 * missing.
 */
export interface Roots {
  readonly list: readonly Root[];
  /** Resolves a path, keeps its directory open while `use` runs, and converts errors of the operating system to ToolErrors. */
  at<T>(path: string, use: (entry: RootEntry) => Promise<T>, options?: RootEntryOptions): Promise<T>;
  /** Opens an existing regular file, checks the open file, and closes it after `use`. */
  openFile(path: string, use: (file: FileHandle, stats: Stats, shown: string) => Promise<void>): Promise<void>;
  /**
   * Creates a directory and its missing parents.
   *
   * @returns whether it created any
   */
  makeDirectories(path: string, options: MakeDirectoriesOptions): Promise<boolean>;
  /** Opens an existing directory for reading, and closes it after `use`. */
  openDirectory<T>(path: string, use: (directory: PinnedDirectory, entry: RootEntry) => Promise<T>): Promise<T>;
  /**
   * Opens a file by the path that a walk of a root returned. The path must contain no link. Synchronous.
   *
   * @returns undefined if there is no such file
   */
  openFound<T>(shown: string, use: (descriptor: number, stats: Stats) => T): T | undefined;
  /** The absolute form of a path of a caller. Links in it are not resolved. @throws ToolError for a path out of the roots */
  absolute(path: string): string;
  /** The path by which a caller knows a real path inside a root. */
  show(real: string): string;
  /** Whether a name in a real path is protected. Links that lead there are not looked for. */
  protects(real: string): boolean;
}

/**
 * @param directories at least one; relative ones are resolved against the working directory
 * @throws Error without a root, when a root is not an existing directory, or for an invalid protected name or path
 */
export function createRoots(directories: readonly string[], options?: ProtectionOptions): Roots {
  if (directories.length === 0) throw new Error("roots: expected at least one directory");
  const reals = directories.map(realRoot);
  const list = nameRoots(reals);
  const aliases = new Map(
    directories.map((input, at) => [path.resolve(input), list.find((one) => one.path === reals[at])]),
  );
  const context: Context = { list, aliases, protection: createProtection(options) };
  const roots: Roots = {
    list,
    absolute: (input) => resolveLexically(context, input).full,
    show: (real) => show(context, real),
    protects: (real) => context.protection.protects(real),
    openFound: (shown, use) => openFound(resolveLexically(context, shown).full, use),
    async at(input, use, { follow = true, access = "read" } = {}) {
      try {
        const entry = await locate(context, input, { follow, access });
        try {
          return await use(entry);
        } finally {
          await entry.directory.close();
        }
      } catch (error) {
        throw fileError(error, input);
      }
    },
    makeDirectories: (input, makeOptions) =>
      makeDirectories(context, input, makeOptions).catch((error: unknown) => {
        throw fileError(error, input);
      }),
    openFile: (input, use) =>
      roots.at(input, async (entry) => {
        const file = await openExisting(entry);
        if (file === undefined) throw await notFound(entry);
        try {
          await use(file, await file.stat(), entry.shown);
        } finally {
          await file.close();
        }
      }),
    openDirectory: (input, use) =>
      roots.at(input, async (entry) => {
        const directory = await openDirectory(entry.path, (real) => isInside(entry.root.path, real)).catch(
          async (error: unknown) => {
            throw hasCode(error, "ENOENT") ? await notFound(entry) : error;
          },
        );
        if (directory === undefined) throw outside(input, context);
        try {
          return await use(directory, entry);
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
  // The native form returns the names as they are on disk, where case or normalization do not matter.
  return realpathSync.native(directory);
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
  input: string,
  { follow, access }: Required<RootEntryOptions>,
): Promise<RootEntry> {
  const { root, full } = resolveLexically(context, input);
  const requireAccess = async (real: string) => {
    if (access !== "read") await context.protection.check({ lexical: full, real, shown: show(context, real) }, access);
  };
  const real = await resolveLinks(full, follow && full !== root.path).catch(async (error: unknown) => {
    // The error must not reveal what exists outside of the roots.
    const existing = await deepestExisting(full);
    if (rootOf(context, existing.real) === undefined) throw outside(input, context);
    await requireAccess(path.join(existing.real, path.relative(existing.lexical, full)));
    throw error;
  });
  const owner = rootOf(context, real);
  if (owner === undefined) throw outside(input, context);
  await requireAccess(real);
  const isRoot = real === owner.path;
  const parent = isRoot ? real : path.dirname(real);
  const directory = await openDirectory(parent, (opened) => isInside(owner.path, opened));
  if (directory === undefined) throw outside(input, context);
  const name = isRoot ? "." : path.basename(real);
  return {
    root: owner,
    directory,
    name,
    path: directory.at(name),
    shown: show(context, real),
    access,
    isRoot,
    holdsRoot: context.list.some((one) => isInside(real, one.path)),
  };
}

async function notFound({ directory, name, shown }: RootEntry): Promise<ToolError> {
  const near = nearest(name, await readdir(directory.path).catch(() => []));
  return new ToolError(
    "not_found",
    `${quoteName(shown)}: there is no such file or directory`,
    near.length > 0 ? `Nearest in its folder: ${near.map(quoteName).join(", ")}.` : undefined,
  );
}
