import { lstatSync, readdirSync, readlinkSync, realpathSync, type BigIntStats } from "node:fs";
import path from "node:path";
import { hasCode, isInside, type Root } from "@toolpacks/files";
import type { FileNode, FolderNode, Node } from "./entry.ts";

/** Returns the hash under which the content of a file is kept. */
type KeepContent = (real: string, file: FileNode) => string | undefined;

/** Maximum entries of a folder whose changes can be taken back. */
const maxEntries = 20_000;

/**
 * Reads an entry with everything below it. Links are not followed. Synchronous: a call waits for less than if each step took a turn.
 *
 * @throws Error for a device, pipe or socket, and a folder of more than 20,000 entries
 */
export function readNode(real: string, keep?: KeepContent): Node | null {
  let count = 0;
  const read = (at: string): Node | null => {
    const stats = statsOf(at);
    if (stats === undefined) return null;
    count += 1;
    if (count > maxEntries) throw new Error(`it has more than ${maxEntries} entries`);
    const mode = Number(stats.mode) & 0o7777;
    if (stats.isSymbolicLink()) return { type: "link", target: readlinkSync(at) };
    if (stats.isDirectory()) return { type: "folder", mode, entries: readEntries(at, read) };
    if (!stats.isFile()) throw new Error("a device, pipe or socket is not kept");
    const file: FileNode = { type: "file", version: versionOf(stats), mode, size: Number(stats.size) };
    return keep === undefined ? file : { ...file, hash: keep(at, file) };
  };
  return read(real);
}

function readEntries(folder: string, read: (at: string) => Node | null): FolderNode["entries"] {
  const entries = readdirSync(folder).map((name) => [name, read(path.join(folder, name))] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, Node] => entry[1] !== null));
}

export function versionOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}`;
}

/** Undefined if nothing is there, also if a file stands in place of a folder above it. */
function statsOf(real: string): BigIntStats | undefined {
  try {
    return lstatSync(real, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

/**
 * The real path that a call changes: of the entry, or of the topmost folder above it that the call would create.
 *
 * @throws Error for a path out of the roots
 */
export function changedPath(roots: readonly Root[], absolute: string, follow = true): string {
  const isLink = statsOf(absolute)?.isSymbolicLink() === true;
  const real = follow && isLink ? realpathSync.native(absolute) : inRealFolder(absolute);
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
