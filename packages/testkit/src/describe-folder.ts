import { lstat, readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Every entry below a folder with its kind, mode, change time and content: the `fingerprint` of a pack that reaches files. */
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
