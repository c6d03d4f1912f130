import { compileGlob, walkFolder } from "@toolpacks/files";
import type { FilesystemContext } from "./context.ts";
import { maxListDepth } from "./list-schema.ts";

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
  return walkFolder(roots, { path, depth: maxListDepth, timeoutMs, signal }, async (walk) => {
    const paths: string[] = [];
    for await (const { entry, relative, path: found } of walk.entries()) {
      if (!entry.isFile() || !matches(relative)) continue;
      if (paths.length === maxFiles) return { paths, isCut: true };
      paths.push(found);
    }
    return { paths, isCut: walk.stopped !== undefined };
  });
}
