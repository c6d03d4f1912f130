import { lstat } from "node:fs/promises";
import path from "node:path";
import type { Roots } from "@toolpacks/core/roots";

/**
 * Leaves out what is not a file below its folder any more, with no link on the way. ripgrep follows no link, but it walks by
 * path: a folder that is swapped for a link while it walks would lead it out of the roots.
 */
export async function unmoved<T extends { readonly path: string }>(
  roots: Roots,
  items: readonly T[],
): Promise<readonly T[]> {
  const folders = Map.groupBy(new Set(items.map((item) => item.path)), (shown) => path.posix.dirname(shown));
  const checked = await Promise.all([...folders].map(([folder, paths]) => filesOf(roots, folder, paths)));
  const there = new Set(checked.flat());
  return items.filter((item) => there.has(item.path));
}

async function filesOf(roots: Roots, folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const isFile = (entry: string) =>
    lstat(entry).then(
      (stats) => stats.isFile(),
      () => false,
    );
  return roots
    .openDirectory(folder, async (directory, place) => {
      if (place.shown !== folder) return [];
      const are = await Promise.all(paths.map((one) => isFile(directory.at(path.posix.basename(one)))));
      return paths.filter((_, at) => are[at]);
    })
    .catch(() => []);
}
