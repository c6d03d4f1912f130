import { constants } from "node:fs";
import { lstat, open, readlink, realpath, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../tool-error.ts";
import { quoteName } from "./quote-name.ts";

const maxPathLength = 4096;

/** A directory whose files callers can access. */
export interface Root {
  /** The name of the root in paths if there are several: the last part of its path, with a number if two are equal. */
  readonly name: string;
  /** The real path. */
  readonly path: string;
}

/** The roots of one `createRoots`. */
export interface RootList {
  readonly list: readonly Root[];
  /** The roots by their configured path, which can differ from the real path. */
  readonly aliases: ReadonlyMap<string, Root | undefined>;
}

/** Whether a real path is a directory or inside it. Compares whole path components: `/database` is not inside `/data`. */
export function isInside(directory: string, real: string): boolean {
  return real === directory || real.startsWith(directory.endsWith(path.sep) ? directory : directory + path.sep);
}

/** The root at a real path, otherwise the first root that contains it. */
export function rootOf({ list }: Pick<RootList, "list">, real: string): Root | undefined {
  return list.find((one) => one.path === real) ?? list.find((one) => isInside(one.path, real));
}

export function resolveLexically(
  { list, aliases }: RootList,
  input: string,
): { readonly root: Root; readonly full: string } {
  if (input === "" || input.includes("\0") || input.length > maxPathLength) {
    throw new ToolError("invalid_input", `path: expected 1 to ${maxPathLength} characters without NUL`);
  }
  const [first, ...others] = list;
  if (first === undefined) throw new ToolError("unavailable", "no root is configured");
  if (path.isAbsolute(input)) return resolveAbsolute({ list, aliases }, input);
  const normal = path.normalize(input);
  if (others.length === 0) {
    const full = path.join(first.path, normal);
    if (isInside(first.path, full)) return { root: first, full };
    throw outside(input, { list, aliases });
  }
  const [head = "", ...rest] = normal.split(path.sep);
  const root = list.find(({ name }) => name === head);
  if (root === undefined) {
    const names = list.map(({ name }) => quoteName(name)).join(", ");
    throw new ToolError("not_found", `${quoteName(input)}: a path begins with a root's name`, `Roots: ${names}.`);
  }
  return { root, full: path.join(root.path, ...rest) };
}

function resolveAbsolute({ list, aliases }: RootList, input: string): { readonly root: Root; readonly full: string } {
  const full = path.resolve(input);
  const root = list.find((one) => isInside(one.path, full));
  if (root !== undefined) return { root, full };
  for (const [alias, one] of aliases) {
    if (one !== undefined && isInside(alias, full))
      return { root: one, full: path.join(one.path, path.relative(alias, full)) };
  }
  throw outside(input, { list, aliases });
}

/** The real path of a path whose last part need not exist. Links in the other parts are resolved. */
export async function resolveLinks(full: string, follow: boolean): Promise<string> {
  if (follow) {
    try {
      return await realpath(full);
    } catch (error) {
      if (!isMissing(error)) throw error;
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

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

export function outside(input: string, { list }: RootList): ToolError {
  const where = list.length === 1 ? "the root" : `the roots (${list.map(({ name }) => quoteName(name)).join(", ")})`;
  return new ToolError(
    "denied",
    `${quoteName(input)}: outside ${where}`,
    "Only files inside can be accessed; use a path relative to it.",
  );
}

export function show({ list }: RootList, real: string): string {
  const root = rootOf({ list }, real);
  if (root === undefined) return path.basename(real);
  const relative = path.relative(root.path, real).split(path.sep).join("/");
  if (list.length === 1) return relative === "" ? "." : relative;
  return relative === "" ? root.name : `${root.name}/${relative}`;
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
