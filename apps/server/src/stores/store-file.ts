import { realpathSync, statSync } from "node:fs";
import path from "node:path";

/** Whether a store's address is a file's path: it has no scheme. `C:\` is a path. */
export function isFilePath(address: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}

/** Whether a path exists and is not an empty file. */
export function isStoreFile(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !(found.isFile() && found.size === 0);
}

/** The target of a path with links. A path that cannot be resolved is returned in its absolute form. */
export function realPath(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return path.resolve(place);
  }
}
