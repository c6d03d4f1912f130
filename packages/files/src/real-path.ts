import { realpathSync } from "node:fs";
import path from "node:path";

/** A path without links, which need not exist: its existing part is resolved, and the rest is appended. */
export function realPath(file: string): string {
  const absolute = path.resolve(file);
  try {
    // The native version returns the spelling on disk if the file system ignores case.
    return realpathSync.native(absolute);
  } catch {
    const parent = path.dirname(absolute);
    return parent === absolute ? absolute : path.join(realPath(parent), path.basename(absolute));
  }
}
