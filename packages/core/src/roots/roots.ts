import { constants, realpathSync, statSync, type Stats } from "node:fs";
import { lstat, open, readdir, realpath, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { nearest } from "../nearest.ts";
import { ToolError } from "../tool-error.ts";
import { fileError } from "./file-error.ts";
import { openFound } from "./open-found.ts";
import { openDirectory, type PinnedDirectory } from "./pinned-directory.ts";

/** A directory within which files may be reached. */
export interface Root {
  /** How paths name it where there are several: its last part, numbered where two are alike. */
  readonly name: string;
  /** Its real path. */
  readonly path: string;
}

/** Where a path leads: an entry of an open directory inside a root. The entry itself need not exist. */
export interface Place {
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

export interface PlaceOptions {
  /** False takes a link in the last place for itself, as moving and deleting do. Default true. */
  readonly follow?: boolean;
}

/**
 * The only way to a user's files. A path is relative to the one root, or begins with a root's name where there are several,
 * or is absolute inside a root. `..`, links and races lead nowhere else: `denied`.
 */
export interface Roots {
  readonly list: readonly Root[];
  /** Finds a path's place, holds its directory open while `use` runs, and turns the system's errors into ones for a model. */
  at<T>(path: string, use: (place: Place) => Promise<T>, options?: PlaceOptions): Promise<T>;
  /** Opens an existing regular file, and checks what was opened. The caller closes it. */
  openFile(path: string, use: (file: FileHandle, stats: Stats, shown: string) => Promise<void>): Promise<void>;
  /** Opens an existing directory itself. `use` gets it as a directory to read. */
  openDirectory<T>(path: string, use: (directory: PinnedDirectory, place: Place) => Promise<T>): Promise<T>;
  /**
   * Opens a file by the path that a walk of a root showed for it, with no link on the way. Synchronous.
   *
   * @returns undefined where there is no such file, or no longer
   */
  openFound<T>(shown: string, use: (descriptor: number, stats: Stats) => T): T | undefined;
  /** How a caller knows a real path inside a root. */
  show(real: string): string;
}

const longestPath = 4096;

/**
 * @param directories at least one; relative ones are resolved against the working directory
 * @throws Error when one does not exist or is not a directory
 */
export function createRoots(directories: readonly string[]): Roots {
  const reals = directories.map(realRoot);
  const list = nameRoots(reals);
  const aliases = new Map(
    directories.map((given, at) => [path.resolve(given), list.find((one) => one.path === reals[at])]),
  );
  const context: Context = { list, aliases };
  const roots: Roots = {
    list,
    show: (real) => show(context, real),
    openFound: (shown, use) => openFound(resolveLexically(context, shown).full, use),
    async at(given, use, { follow = true } = {}) {
      try {
        const place = await locate(context, given, follow);
        try {
          return await use(place);
        } finally {
          await place.directory.close();
        }
      } catch (error) {
        throw fileError(error, given);
      }
    },
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

interface Context {
  readonly list: readonly Root[];
  /** The directories as they were given, which callers may know by another path than the real one. */
  readonly aliases: ReadonlyMap<string, Root | undefined>;
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

/** Compares whole components of real paths: `/database` is not inside `/data`. */
function isInside(directory: string, real: string): boolean {
  return real === directory || real.startsWith(directory.endsWith(path.sep) ? directory : directory + path.sep);
}

/** A root itself where roots are nested, else the first that contains the path. */
function rootOf({ list }: Pick<Context, "list">, real: string): Root | undefined {
  return list.find((one) => one.path === real) ?? list.find((one) => isInside(one.path, real));
}

async function locate(context: Context, given: string, follow: boolean): Promise<Place> {
  const { root, full } = resolveLexically(context, given);
  const real = await resolveLinks(full, follow && full !== root.path).catch(async (error: unknown) => {
    // What exists outside must not be told by which error comes back.
    if (rootOf(context, await deepestExisting(full)) === undefined) throw outside(given, context);
    throw error;
  });
  const owner = rootOf(context, real);
  if (owner === undefined) throw outside(given, context);
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

function resolveLexically({ list, aliases }: Context, given: string): { readonly root: Root; readonly full: string } {
  if (given === "" || given.includes("\0") || given.length > longestPath) {
    throw new ToolError("invalid_input", `path: expected 1 to ${longestPath} characters without NUL`);
  }
  const [first, ...others] = list;
  if (first === undefined) throw new ToolError("unavailable", "no root is configured");
  if (path.isAbsolute(given)) return resolveAbsolute({ list, aliases }, given);
  const normal = path.normalize(given);
  if (others.length === 0) {
    const full = path.join(first.path, normal);
    if (isInside(first.path, full)) return { root: first, full };
    throw outside(given, { list, aliases });
  }
  const [head = "", ...rest] = normal.split(path.sep);
  const root = list.find(({ name }) => name === head);
  if (root === undefined) {
    const names = list.map(({ name }) => name).join(", ");
    throw new ToolError("not_found", `${given}: a path begins with a root's name`, `Roots: ${names}.`);
  }
  return { root, full: path.join(root.path, ...rest) };
}

function resolveAbsolute({ list, aliases }: Context, given: string): { readonly root: Root; readonly full: string } {
  const full = path.resolve(given);
  const root = list.find((one) => isInside(one.path, full));
  if (root !== undefined) return { root, full };
  for (const [alias, one] of aliases) {
    if (one !== undefined && isInside(alias, full))
      return { root: one, full: path.join(one.path, path.relative(alias, full)) };
  }
  throw outside(given, { list, aliases });
}

/** The real path of a path whose last part need not exist. Every existing part before it is followed. */
async function resolveLinks(full: string, follow: boolean): Promise<string> {
  if (follow) {
    try {
      return await realpath(full);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // A dangling link must not be written through: what it leads to is not known to lie inside.
      const entry = await lstat(full).catch(() => undefined);
      if (entry?.isSymbolicLink()) throw Object.assign(new Error("dangling link"), { code: "ELOOP" });
    }
  }
  return path.join(await realpath(path.dirname(full)), path.basename(full));
}

async function deepestExisting(full: string): Promise<string> {
  for (let ancestor = path.dirname(full); ; ancestor = path.dirname(ancestor)) {
    const real = await realpath(ancestor).catch(() => undefined);
    if (real !== undefined || path.dirname(ancestor) === ancestor) return real ?? ancestor;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function outside(given: string, { list }: Context): ToolError {
  const where = list.length === 1 ? "the root" : `the roots (${list.map(({ name }) => name).join(", ")})`;
  return new ToolError(
    "denied",
    `${given}: outside ${where}`,
    "Only files inside can be reached; use a path relative to it.",
  );
}

function show({ list }: Context, real: string): string {
  const root = rootOf({ list }, real);
  if (root === undefined) return path.basename(real);
  const relative = path.relative(root.path, real).split(path.sep).join("/");
  if (list.length === 1) return relative === "" ? "." : relative;
  return relative === "" ? root.name : `${root.name}/${relative}`;
}

/** Opens first and checks the descriptor: not a link, not a directory, not a device, socket or pipe (which could hang). */
async function openRegular(place: Place): Promise<FileHandle> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(place.path, flags).catch(async (error: unknown) => {
    throw await explainMissing(error, place);
  });
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  const kind = stats.isDirectory() ? "a directory; fs_list shows what is in it" : "a device, pipe or socket";
  throw new ToolError("invalid_input", `${place.shown}: expected a file, this is ${kind}`);
}

/** Adds the names nearest to one that does not exist. */
async function explainMissing(error: unknown, { directory, name, shown }: Place): Promise<unknown> {
  if (!isMissing(error)) return error;
  const near = nearest(name, await readdir(directory.path).catch(() => []));
  return new ToolError(
    "not_found",
    `${shown}: there is no such file or directory`,
    near.length > 0 ? `Nearest in its folder: ${near.join(", ")}.` : undefined,
  );
}
