import type { Roots } from "@toolpacks/core/roots";

/** Larger files are generated, and one takes a parser seconds. */
const mostBytes = 1024 * 1024;

/** Reads a source file inside the roots; undefined for one that is too large, gone, unreadable or no text. */
export async function readSource(roots: Roots, path: string): Promise<string | undefined> {
  let source: string | undefined;
  const read = roots.openFile(path, async (file, { size }) => {
    if (size > mostBytes) return;
    const bytes = await file.readFile();
    if (!bytes.includes(0)) source = bytes.toString();
  });
  await read.catch(() => {});
  return source;
}
