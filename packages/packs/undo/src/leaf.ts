import { lstatSync, readdirSync, readlinkSync, realpathSync, type BigIntStats } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { hasCode, isInside, type Root } from "@toolpacks/files";

/** An entry of the file system, without what is below it. The version of a file differs after each write and replacement. */
export type Leaf =
  | { readonly type: "file"; readonly version: string; readonly mode: number; readonly size: number }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder"; readonly mode: number };

/** What a call did to one real path. Null: nothing is there. */
export interface FileChange {
  readonly path: string;
  readonly before: Leaf | null;
  /** Undefined in a journal: the call has not ended. */
  readonly after?: Leaf | null;
}

/** Maximum entries of a folder that can be taken back. */
const maxLeaves = 20_000;

/** Null: nothing is there, or a file stands in place of a folder above. @throws Error for a device, pipe or socket */
export function readLeaf(real: string): Leaf | null {
  try {
    const stats = lstatSync(real, { bigint: true });
    const mode = Number(stats.mode) & 0o7777;
    if (stats.isSymbolicLink()) return { type: "link", target: readlinkSync(real) };
    if (stats.isDirectory()) return { type: "folder", mode };
    if (stats.isFile()) return { type: "file", version: versionOf(stats), mode, size: Number(stats.size) };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
  throw new Error(`${real} is a device, pipe or socket`);
}

/** Adds an entry and all that is below it. Synchronous: waiting for each step would cost a call more. */
function readLeaves(real: string, leaves: Map<string, Leaf>): void {
  const leaf = readLeaf(real);
  if (leaf !== null) leaves.set(real, leaf);
  if (leaves.size > maxLeaves) throw new Error(`more than ${maxLeaves} files and folders`);
  if (leaf?.type === "folder") for (const name of readdirSync(real)) readLeaves(path.join(real, name), leaves);
}

export function versionOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}-${size}-${mtimeNs}`;
}

/** The real path that a call changes: of the entry, or of the topmost folder above it that is missing. @throws Error for a path out of the roots */
export function changedPath(roots: readonly Root[], absolute: string, follow = true): string {
  const isLink = follow && readLeaf(absolute)?.type === "link";
  const real = isLink ? realpathSync.native(absolute) : inRealFolder(absolute);
  if (roots.some((root) => isInside(root.path, real))) return real;
  throw new Error("it is outside of the roots");
}

function inRealFolder(absolute: string): string {
  const folder = path.dirname(absolute);
  try {
    return path.join(realpathSync.native(folder), path.basename(absolute));
  } catch (error) {
    if (folder === absolute || !hasCode(error, "ENOENT")) throw error;
    return inRealFolder(folder);
  }
}

/** All that is at and below paths. @throws Error beyond 20,000 */
export function leavesOf(paths: readonly string[]): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  for (const path of paths) readLeaves(path, leaves);
  return leaves;
}

/** What has changed at and below paths. Without what is there now: all that may change. */
export function changesBetween(
  paths: readonly string[],
  before: ReadonlyMap<string, Leaf>,
  now?: ReadonlyMap<string, Leaf>,
): readonly FileChange[] {
  return [...new Set([...paths, ...before.keys(), ...(now?.keys() ?? [])])].flatMap((path) => {
    const [was, is] = [before.get(path) ?? null, now?.get(path) ?? null];
    if (now === undefined) return [{ path, before: was }];
    return isDeepStrictEqual(was, is) ? [] : [{ path, before: was, after: is }];
  });
}
