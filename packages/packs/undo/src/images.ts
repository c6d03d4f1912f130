import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { makePrivateFolder, openFound } from "@toolpacks/files";
import type { FileNode, Node } from "./entry.ts";
import { versionOf } from "./nodes.ts";

/**
 * The contents of files before calls, each one once: private files, named by their hash. Tools replace files and do not write into them, so a hard link to the
 * old file is enough before a call, and its content is read after it.
 */
export interface Images {
  /** Holds a file below a real path. Returns a name for `settle`, or undefined for a file that is too large or was replaced meanwhile. */
  hold(real: string, file: FileNode): string | undefined;
  /** Keeps what is held by its hash, until `release` also by its name. Undefined if it was written into meanwhile. */
  settle(file: FileNode): string | undefined;
  /** Lets go of what is held. */
  release(held: string): void;
  /** A content. Undefined if it was dropped or is damaged. */
  read(hash: string | undefined): Buffer | undefined;
  /** The bytes of a content. */
  size(hash: string): number;
  /** Removes the contents that no entry needs, and that were not used within the last hour. */
  sweep(needed: ReadonlySet<string>): void;
}

/** Time in which the entry of a new image is surely written, in ms. */
const youngMs = 3_600_000;
const [linkPrefix, copyPrefix] = ["link-", "copy-"];

/** Images are not flushed to disk: they survive the end of the process at any time, and a power failure may lose the last ones. */
export function createImages(folder: string, { maxFileBytes }: { readonly maxFileBytes: number }): Images {
  makePrivateFolder(folder);
  const fileOf = (name: string) => path.join(folder, name);
  const size = (hash: string) => statSync(fileOf(hash), { throwIfNoEntry: false })?.size ?? -1;
  const write = (name: string, bytes: Uint8Array) => writeFileSync(fileOf(name), bytes, { mode: 0o600 });
  return {
    size: (hash) => Math.max(0, size(hash)),
    hold(real, file) {
      if (file.size > maxFileBytes) return undefined;
      const link = `${linkPrefix}${randomUUID()}`;
      if (isLinked(real, fileOf(link))) return link;
      const bytes = openFound(real, (descriptor) => readFileSync(descriptor));
      if (bytes === undefined) return undefined;
      const copy = `${copyPrefix}${randomUUID()}`;
      write(copy, bytes);
      return copy;
    },
    settle({ hash: held = "", version, size: bytesBefore }) {
      const stats = lstatSync(fileOf(held), { bigint: true, throwIfNoEntry: false });
      const isLink = held.startsWith(linkPrefix);
      if (stats === undefined || (isLink ? versionOf(stats) !== version : size(held) !== bytesBefore)) return undefined;
      const bytes = readFileSync(fileOf(held));
      const hash = hashOf(bytes);
      const now = new Date();
      // A process that was killed may have left a part of it.
      if (size(hash) === bytes.length) utimesSync(fileOf(hash), now, now);
      else if (isLink && stats.nlink > 1n) write(hash, bytes);
      else {
        chmodSync(fileOf(held), 0o600);
        rmSync(fileOf(hash), { force: true });
        linkSync(fileOf(held), fileOf(hash));
      }
      return hash;
    },
    release: (held) => rmSync(fileOf(held), { force: true }),
    read(hash) {
      if (hash === undefined || size(hash) < 0) return undefined;
      const bytes = readFileSync(fileOf(hash));
      return hashOf(bytes) === hash ? bytes : undefined;
    },
    sweep(needed) {
      for (const hash of readdirSync(folder)) {
        const stats = statSync(fileOf(hash), { throwIfNoEntry: false });
        const isOld = stats !== undefined && Date.now() - stats.ctimeMs > youngMs;
        if (isOld && !needed.has(hash)) rmSync(fileOf(hash), { force: true });
      }
    },
  };
}

const hasProc = process.platform === "linux";

/** Links a file of a folder that is at its real path. False where that is not possible, and for a file with further names. */
function isLinked(real: string, link: string): boolean {
  if (!hasProc) return false;
  let folder: number | undefined;
  try {
    folder = openSync(path.dirname(real), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const at = `/proc/self/fd/${folder}`;
    const from = path.join(at, path.basename(real));
    if (readlinkSync(at) !== path.dirname(real) || lstatSync(from).nlink > 1) return false;
    linkSync(from, link);
    return true;
  } catch {
    return false;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The files in a node, with their paths below it. */
export function* filesIn(node: Node | null | undefined, below = ""): Generator<readonly [string, FileNode]> {
  if (node?.type === "file") yield [below, node];
  if (node?.type === "folder")
    for (const [name, entry] of Object.entries(node.entries)) yield* filesIn(entry, path.join(below, name));
}

/** A node with other files. */
export function mapFiles(node: Node | null, to: (file: FileNode) => FileNode): Node | null {
  if (node?.type === "file") return to(node);
  if (node?.type !== "folder") return node;
  const entries = Object.entries(node.entries).map(([name, entry]) => [name, mapFiles(entry, to)] as const);
  return { ...node, entries: Object.fromEntries(entries) as Record<string, Node> };
}
