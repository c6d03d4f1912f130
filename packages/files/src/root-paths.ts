import path from "node:path";
import { ToolError, quoteName } from "@toolpacks/core";
import { nameProblem, plainPath } from "./windows-paths.ts";

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

// Every function here takes the rules of paths as its last parameter: `path.posix` or `path.win32`. Default: those of this system.

/** Whether a real path is a directory or inside it. Compares whole path components: `/database` is not inside `/data`. `..` is not resolved. */
export function isInside(directory: string, real: string, { sep } = path): boolean {
  return real === directory || real.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** The root at a real path, otherwise the first root that contains it. */
export function rootOf({ list }: Pick<RootList, "list">, real: string, paths = path): Root | undefined {
  return list.find((one) => one.path === real) ?? list.find((one) => isInside(one.path, real, paths));
}

/** A path in a root, which need not exist. */
export interface LexicalPath {
  readonly root: Root;
  /** The absolute path. Links in it are not resolved. */
  readonly full: string;
}

/**
 * Resolves a path of a caller without the file system.
 *
 * @throws ToolError `denied` for a path out of the roots; `not_found` for an unknown root; `invalid_input` for an empty path, or for a name that
 * Windows does not keep as it is
 */
export function resolveLexically(roots: RootList, input: string, paths = path): LexicalPath {
  if (input === "" || input.includes("\0") || input.length > maxPathLength) {
    throw new ToolError("invalid_input", `path: expected 1 to ${maxPathLength} characters without NUL`);
  }
  if (paths.sep === "/") return resolveIn(roots, { input, plain: input }, paths);
  const found = resolveIn(roots, { input, plain: plainPath(input) }, paths);
  for (const name of paths.relative(found.root.path, found.full).split(paths.sep)) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new ToolError("invalid_input", `${quoteName(input)}: ${problem}`);
  }
  return found;
}

interface Wanted {
  /** The path as the caller wrote it. */
  readonly input: string;
  readonly plain: string;
}

function resolveIn(roots: RootList, { input, plain }: Wanted, paths: typeof path): LexicalPath {
  if (paths.isAbsolute(plain)) {
    const found = resolveAbsolute(roots, plain, paths);
    if (found === undefined) throw outside(input, roots);
    return found;
  }
  const normal = paths.normalize(plain);
  const [only, ...others] = roots.list;
  if (only !== undefined && others.length === 0) {
    const full = paths.join(only.path, normal);
    if (isInside(only.path, full, paths)) return { root: only, full };
    throw outside(input, roots);
  }
  const [head = "", ...rest] = normal.split(paths.sep);
  const root = roots.list.find(({ name }) => isSameName(name, head, paths));
  if (root === undefined) {
    const names = roots.list.map(({ name }) => quoteName(name)).join(", ");
    throw new ToolError("not_found", `${quoteName(input)}: a path begins with a root's name`, `Roots: ${names}.`);
  }
  return { root, full: paths.join(root.path, ...rest) };
}

function isSameName(one: string, other: string, { sep }: typeof path): boolean {
  return one === other || (sep === "\\" && one.toLowerCase() === other.toLowerCase());
}

function resolveAbsolute({ list, aliases }: RootList, input: string, paths: typeof path): LexicalPath | undefined {
  const full = paths.resolve(input);
  const named = [...list.map((one) => [one.path, one] as const), ...aliases];
  for (const [directory, root] of named) {
    const rest = relativeInside(directory, full, paths);
    if (root !== undefined && rest !== undefined) return { root, full: paths.join(root.path, rest) };
  }
  return undefined;
}

/** The path from a directory to an entry inside it. The rules of Windows ignore case. */
function relativeInside(directory: string, full: string, paths: typeof path): string | undefined {
  const relative = paths.relative(directory, full);
  const isOutside = relative === ".." || relative.startsWith(`..${paths.sep}`) || paths.isAbsolute(relative);
  return isOutside ? undefined : relative;
}

/** The path by which a caller knows a real path. It has `/` on every system. */
export function show({ list }: Pick<RootList, "list">, real: string, paths = path): string {
  const root = rootOf({ list }, real, paths);
  if (root === undefined) return paths.basename(real);
  const relative = paths.relative(root.path, real).split(paths.sep).join("/");
  if (list.length === 1) return relative === "" ? "." : relative;
  return relative === "" ? root.name : `${root.name}/${relative}`;
}

export function outside(input: string, { list }: Pick<RootList, "list">): ToolError {
  const where = list.length === 1 ? "the root" : `the roots (${list.map(({ name }) => quoteName(name)).join(", ")})`;
  return new ToolError(
    "denied",
    `${quoteName(input)}: outside ${where}`,
    "Only files inside can be accessed; use a path relative to it.",
  );
}
