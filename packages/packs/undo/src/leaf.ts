import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { hasCode, isInside, type Root } from "@toolpacks/files";
import { digestOf } from "./contents.ts";

/** An entry of the file system, without what is below it. */
export type Leaf = FileLeaf | { readonly type: "link"; readonly target: string } | Folder;

export interface FileLeaf {
  readonly type: "file";
  /** Differs after each write and replacement, and stays after a move. */
  readonly version: string;
  readonly mode: number;
  readonly size: number;
  /** The digest of its content. Undefined for large files, and where a move has left it as it was. */
  readonly content?: string | undefined;
}

interface Folder {
  readonly type: "folder";
  readonly mode: number;
}

export type Leaves = ReadonlyMap<string, Leaf>;

/** What a call did to one real path. Null: nothing is there. */
export interface FileChange {
  readonly path: string;
  readonly before: Leaf | null;
  /** Undefined: the call has not ended. */
  readonly after?: Leaf | null;
}

/** Maximum entries of a folder that can be taken back. */
const maxLeaves = 20_000;

/** Null: nothing is there, or a file stands in place of a folder above. @throws Error for a device, pipe or socket */
export function readLeaf(real: string): Leaf | null {
  try {
    const stats = lstatSync(real, { bigint: true });
    const [mode, size] = [Number(stats.mode) & 0o7777, Number(stats.size)];
    if (stats.isSymbolicLink()) return { type: "link", target: readlinkSync(real) };
    if (stats.isDirectory()) return { type: "folder", mode };
    if (stats.isFile()) return { type: "file", version: `${stats.ino}-${size}-${stats.mtimeNs}`, mode, size };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
  throw new Error(`${real} is a device, pipe or socket`);
}

/** All that is at and below paths. @throws Error beyond 20,000 */
export function leavesOf(paths: readonly string[]): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const read = (real: string) => {
    const leaf = readLeaf(real);
    if (leaf !== null) leaves.set(real, leaf);
    if (leaves.size > maxLeaves) throw new Error(`more than ${maxLeaves} files and folders`);
    if (leaf?.type === "folder") for (const name of readdirSync(real)) read(path.join(real, name));
  };
  for (const one of paths) read(one);
  return leaves;
}

/** The paths at which something is. */
export function leavesAt(entries: readonly (readonly [string, Leaf | null])[]): Map<string, Leaf> {
  return new Map(entries.flatMap(([real, leaf]) => (leaf === null ? [] : [[real, leaf] as const])));
}

/** The leaf of a path with the digest of its content. */
export function withContent<L extends Leaf | null>(real: string, leaf: L, maxBytes: number): L {
  return leaf?.type === "file" ? { ...leaf, content: digestOf(real, maxBytes) } : leaf;
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

/** What has changed at and below paths, with the contents of what is there now. */
export function changesBetween(before: Leaves, now: Leaves, maxBytes: number): readonly FileChange[] {
  const versions = new Set(Array.from(before.values(), (leaf) => leaf.type === "file" && leaf.version));
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((real) => {
    const [was, is] = [before.get(real) ?? null, now.get(real) ?? null];
    if (isSame(was, is)) return [];
    const isMoved = is?.type === "file" && versions.has(is.version);
    return [{ path: real, before: was, after: isMoved ? is : withContent(real, is, maxBytes) }];
  });
}

/** Whether two leaves are the same, or files of the same content. */
export function isSame(one: Leaf | null, other: Leaf | null): boolean {
  if (one?.type !== "file" || other?.type !== "file") return isDeepStrictEqual(one, other);
  if (one.mode !== other.mode) return false;
  return one.version === other.version || (one.content !== undefined && one.content === other.content);
}
