import { existsSync, linkSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makePrivateFolder, openFound } from "@toolpacks/files";
import { versionOf, type Leaf } from "./leaf.ts";

export type Images = ReturnType<typeof createImages>;
type FileLeaf = Extract<Leaf, { readonly type: "file" }>;

const youngMs = 3_600_000;

/**
 * The contents of files before calls, by their versions, in a private folder. Tools replace files, so a hard link keeps the old content: it takes no time and no
 * bytes. Where that is not possible, such as on another file system, the content is copied. A power failure may lose the last images.
 */
export function createImages(folder: string, maxFileBytes: number) {
  makePrivateFolder(folder);
  return {
    /** Keeps the content of a file. False if it is too large, or was replaced meanwhile. */
    keep(real: string, { version, size }: FileLeaf, maxBytes = maxFileBytes): boolean {
      if (size > maxBytes) return false;
      const image = path.join(folder, version);
      if (existsSync(image) || link(real, image, version)) return true;
      const part = `${image}.${process.pid}`;
      const copied = openFound(
        real,
        (descriptor) => writeFileSync(part, readFileSync(descriptor), { mode: 0o600 }) ?? true,
      );
      if (copied === true) renameSync(part, image);
      return copied === true;
    },
    /** The path of a kept content. Undefined if it is not kept, or another program wrote into the linked file. */
    find({ version, size }: FileLeaf): string | undefined {
      const image = path.join(folder, version);
      const stats = lstatSync(image, { bigint: true, throwIfNoEntry: false });
      const isCopy = !version.startsWith(`${stats?.ino}-`) && stats?.size === BigInt(size);
      return stats?.isFile() === true && (isCopy || versionOf(stats) === version) ? image : undefined;
    },
    /** Removes contents that no entry needs, except young ones, whose entry may be on its way. */
    sweep(needed: ReadonlySet<string>): void {
      for (const version of readdirSync(folder).filter((name) => !needed.has(name))) {
        const image = path.join(folder, version);
        if (Date.now() - lstatSync(image).ctimeMs > youngMs) rmSync(image, { force: true });
      }
    },
  };
}

/** Links a file, unless it has other names, through which it may be written into, or was replaced meanwhile. */
function link(real: string, image: string, version: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    if (lstatSync(real).nlink > 1) return false;
    linkSync(real, image);
    if (versionOf(lstatSync(image, { bigint: true })) === version) return true;
    rmSync(image);
  } catch {}
  return false;
}
