import { compileGlob } from "@toolpacks/files";
import type { FilesystemContext } from "./context.ts";
import { createWalkPace } from "./walk-pace.ts";
import { rulesFor, walk } from "./walk.ts";

const maxDepth = 64;
/** Maximum number of entries of a walk. */
const maxWalked = 100_000;

interface FindOptions {
  /** The folder to search. */
  readonly path: string;
  readonly glob: string;
  readonly maxFiles: number;
  readonly signal: AbortSignal;
}

interface FoundFiles {
  readonly paths: readonly string[];
  /** Whether there are more files than `maxFiles`, or the search stopped early. */
  readonly isCut: boolean;
}

/** Finds the files in a folder that match a glob, in the order of paths. Files that git ignores are left out. */
export function findFiles({ roots, timeoutMs }: FilesystemContext, options: FindOptions): Promise<FoundFiles> {
  const { path, glob, maxFiles, signal } = options;
  const matches = compileGlob(glob, "glob");
  return roots.openDirectory(path, async (directory, place) => {
    const base = directory.real.slice(place.root.path.length).replace(/^\//, "");
    const rules = await rulesFor(place.root.path, base, { onCut: () => {} });
    const pace = createWalkPace(timeoutMs, signal);
    const prefix = place.shown === "." ? "" : `${place.shown}/`;
    const paths: string[] = [];
    let walked = 0;
    for await (const { entry, relative } of walk({
      directory,
      depth: maxDepth,
      onDepth: () => {},
      rules,
      base,
      pace,
    })) {
      walked += 1;
      if (walked > maxWalked) return { paths, isCut: true };
      if (!entry.isFile() || !matches(relative)) continue;
      if (paths.length === maxFiles) return { paths, isCut: true };
      paths.push(prefix + relative);
    }
    return { paths, isCut: pace.isTimedOut };
  });
}
