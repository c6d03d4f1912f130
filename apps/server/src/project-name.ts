import { existsSync } from "node:fs";
import path from "node:path";

/** The name of the project that a directory belongs to: that of the nearest directory upward with a `.git`. Undefined outside of any. */
export function projectName(directory: string | undefined): string | undefined {
  if (directory === undefined) return undefined;
  for (let at = path.resolve(directory); ; at = path.dirname(at)) {
    if (existsSync(path.join(at, ".git"))) return path.basename(at) || undefined;
    if (path.dirname(at) === at) return undefined;
  }
}
