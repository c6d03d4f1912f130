import { realpathSync } from "node:fs";
import path from "node:path";

/** Whether a store's address is a file's path: it has no scheme. `C:\` is a path. */
export function isFilePath(address: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}

/** The target of a path with links. A path that cannot be resolved is returned in its absolute form. */
export function realPath(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return path.resolve(place);
  }
}
