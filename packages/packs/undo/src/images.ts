import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { makePrivateFolder, openFound } from "@toolpacks/files";
import { versionOf, type Leaf } from "./leaves.ts";

type FileLeaf = Extract<Leaf, { readonly type: "file" }>;

/** The contents of files before calls, by their versions, each one once. The folder is private. */
export interface Images {
  /** Keeps the content of a file at a real path. Returns a function that drops it again, or undefined if it is too large or was replaced meanwhile. */
  keep(real: string, file: FileLeaf): (() => void) | undefined;
  /** Undefined if the content is not kept, or was written into. */
  read(file: FileLeaf): Buffer | undefined;
  /** Removes contents that no entry needs, and that are older than an hour: the entry of a new one may be on its way. */
  sweep(needed: ReadonlySet<string>): void;
}

const copySuffix = ".copy";
const youngMs = 3_600_000;

/**
 * Tools replace files, so a hard link keeps the old content: it takes no time and no bytes. Where that is not possible, such as on another file system, the
 * content is copied. Nothing is flushed: images survive the end of the process at any time, and a power failure may lose the last ones.
 */
export function createImages(folder: string, maxFileBytes: number): Images {
  makePrivateFolder(folder);
  return {
    keep(real, file) {
      if (file.size > maxFileBytes) return undefined;
      const image = path.join(folder, file.version);
      const linked = link(real, image);
      if (linked !== "impossible") return linked === "known" ? () => {} : () => rmSync(image, { force: true });
      const bytes = openFound(real, (descriptor) => readFileSync(descriptor));
      if (bytes === undefined) return undefined;
      writeFileSync(image + copySuffix, bytes, { mode: 0o600 });
      return () => {};
    },
    read({ version, size }) {
      const image = path.join(folder, version);
      const linked = lstatSync(image, { bigint: true, throwIfNoEntry: false });
      if (linked !== undefined && versionOf(linked) === version) return readFileSync(image);
      const copy = lstatSync(image + copySuffix, { throwIfNoEntry: false });
      return copy?.size === size ? readFileSync(image + copySuffix) : undefined;
    },
    sweep(needed) {
      for (const name of readdirSync(folder)) {
        const image = path.join(folder, name);
        const isYoung = Date.now() - lstatSync(image).ctimeMs < youngMs;
        if (!isYoung && !needed.has(name.replace(copySuffix, ""))) rmSync(image, { force: true });
      }
    },
  };
}

/** Links a file whose folder is at its real path. Not a file with other names, through which it may be written into. */
function link(real: string, image: string): "linked" | "known" | "impossible" {
  if (process.platform !== "linux") return "impossible";
  let folder: number | undefined;
  try {
    folder = openSync(path.dirname(real), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const from = `/proc/self/fd/${folder}/${path.basename(real)}`;
    const { nlink, ino } = lstatSync(from);
    if (readlinkSync(path.dirname(from)) !== path.dirname(real)) return "impossible";
    if (nlink > 1) return lstatSync(image).ino === ino ? "known" : "impossible";
    linkSync(from, image);
    return "linked";
  } catch {
    return "impossible";
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}
