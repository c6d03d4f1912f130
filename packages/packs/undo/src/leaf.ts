import { hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "@toolpacks/core";
import { hasCode, isInside, openFound, realPath } from "@toolpacks/files";

/** An entry of the file system, without what is below it. */
export type Leaf = {
  /** Its number, which stays when it is moved on its device. Numbers of devices change when these are mounted again. */
  readonly inode: string;
} & (
  | {
      readonly type: "file";
      /** Differs after each write and replacement. */
      readonly version: string;
      readonly mode: number;
      readonly size: number;
      /** The digest of its content. Undefined: it is too large, or cannot be read. */
      readonly content?: string | undefined;
    }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder"; readonly mode: number }
);

/** What a call did to one real path. Null: nothing is there. */
export interface FileChange {
  readonly path: string;
  readonly before: Leaf | null;
  /** Undefined: the call has not ended. */
  readonly after?: Leaf | null;
}

/** Maximum entries of a folder that can be taken back. */
const maxLeaves = 20_000;

/** Null: nothing is there, or a file or a link stands in place of a folder above. @throws ToolError `conflict` for a device, pipe or socket */
export function readLeaf(real: string): Leaf | null {
  const folder = path.dirname(real);
  return realPath(folder) === folder ? readEntry(real) : null;
}

function readEntry(real: string): Leaf | null {
  try {
    const stats = lstatSync(real, { bigint: true });
    const [mode, size] = [Number(stats.mode) & 0o7777, Number(stats.size)];
    const inode = String(stats.ino);
    if (stats.isSymbolicLink()) return { inode, type: "link", target: readlinkSync(real) };
    if (stats.isDirectory()) return { inode, type: "folder", mode };
    if (stats.isFile()) return { inode, type: "file", version: `${stats.ino}-${size}-${stats.mtimeNs}`, mode, size };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return null;
    throw error;
  }
  throw new ToolError("conflict", `${path.basename(real)} is a device, pipe or socket`);
}

/** All that is at and below paths, without what is at and below another one. @throws Error beyond 20,000, or for a name that is not UTF-8 */
export function leavesOf(tops: readonly string[], without?: string): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const read = (real: string, readOne = readEntry) => {
    if (leaves.has(real) || (without !== undefined && isInside(without, real))) return;
    const leaf = readOne(real);
    if (leaf !== null) leaves.set(real, leaf);
    else if (real.includes("\uFFFD") && !tops.includes(real)) throw new Error("a name in it is not UTF-8");
    if (leaves.size > maxLeaves) throw new Error(`it has more than ${maxLeaves} files and folders`);
    if (leaf?.type === "folder") for (const name of readdirSync(real)) read(path.join(real, name));
  };
  for (const top of tops) read(top, readLeaf);
  return leaves;
}

/** The leaf of a path with the digest of its content, unless it is too large. */
export function withContent<L extends Leaf | null>(real: string, leaf: L, maxBytes: number): L {
  if (leaf?.type !== "file" || leaf.size > maxBytes) return leaf;
  return { ...leaf, content: openFound(real, (descriptor) => hash("sha256", readFileSync(descriptor))) };
}

/** Why an old content is not kept. Undefined: all of them are. */
export function unkeptProblem(changes: readonly FileChange[], maxBytes: number): string | undefined {
  const leaf = changes.map(({ before }) => before).find((one) => one?.type === "file" && one.content === undefined);
  if (leaf?.type !== "file") return undefined;
  return leaf.size > maxBytes ? "it is too large to be kept" : "a file cannot be read";
}

/** Whether two leaves are the same, or files of the same content. */
export function isSame(one: Leaf | null, other: Leaf | null): boolean {
  if (one?.type !== "file" || other?.type !== "file")
    return isDeepStrictEqual({ ...one, inode: "" }, { ...other, inode: "" });
  if (one.mode !== other.mode) return false;
  return one.version === other.version || (one.content !== undefined && one.content === other.content);
}

/** Whether one of the paths is at, below or above one of the others. */
export function overlap(paths: readonly string[], others: readonly string[]): boolean {
  return paths.some((one) => others.some((other) => isInside(one, other) || isInside(other, one)));
}
