import { homedir } from "node:os";
import path from "node:path";

/** A path from a config file, which may begin in the user's home: `~/data`. */
export function resolvePath(directory: string, given: string): string {
  return path.resolve(directory, given.replace(/^~(?=$|[\\/])/, homedir()));
}
