import { lstat, readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Describes every entry below a folder with mode, change time and content. Use it as the `fingerprint` of a pack that changes files. */
export async function describeFolder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true });
  const described = entries.toSorted().map(async (entry) => {
    const file = path.join(folder, entry);
    const { mode, mtimeMs, ino } = await lstat(file);
    const content = (mode & 0o170000) === 0o100000 ? await readFile(file, "base64") : "";
    return [entry, mode.toString(8), mtimeMs, ino, content].join(" ");
  });
  return Promise.all(described);
}
