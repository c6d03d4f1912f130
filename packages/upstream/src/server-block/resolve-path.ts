import { homedir } from "node:os";
import path from "node:path";

/** Resolves a path of a config file. It may begin with the user's home: `~/data`. */
export function resolvePath(directory: string, file: string): string {
  return path.resolve(directory, file.replace(/^~(?=$|[\\/])/, homedir()));
}
