import { parseIgnoreFile, type IgnoreFile } from "./ignore-file.ts";
import { openExisting } from "./open-existing.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

/** The `.gitignore` files from a root down to one directory. */
export interface IgnoreRules {
  /** @param relative the entry's path below the root, with `/` */
  ignores(relative: string, isDirectory: boolean): boolean;
  /** Returns the rules for the entries of a directory, including its own `.gitignore`. */
  enter(directory: PinnedDirectory, relative: string): Promise<IgnoreRules>;
}

interface Layer {
  /** The directory's path below the root: empty, or ending in `/`. */
  readonly base: string;
  readonly file: IgnoreFile;
}

const maxRuleBytes = 1024 * 1024;

/** Empty rules. Call `enter` for the root first, then for each directory on the path. */
export const noRules: IgnoreRules = layered([]);

function layered(layers: readonly Layer[]): IgnoreRules {
  return {
    ignores(relative, isDirectory) {
      // The deepest file with a rule for the entry decides, as in git.
      for (const { base, file } of layers) {
        const verdict = file.ignores(relative.slice(base.length), isDirectory);
        if (verdict !== undefined) return verdict;
      }
      return false;
    },
    async enter(directory, relative) {
      const text = await readRules(directory);
      if (text === undefined) return layered(layers);
      const base = relative === "" ? "" : `${relative}/`;
      return layered([{ base, file: parseIgnoreFile(text) }, ...layers]);
    },
  };
}

/** The rules below an ignored directory: everything is ignored. */
export const ignoreAll: IgnoreRules = {
  ignores: () => true,
  enter: async () => ignoreAll,
};

/** Reads a directory's `.gitignore` if it is a regular file of at most 1 MiB. */
async function readRules(directory: PinnedDirectory): Promise<string | undefined> {
  const file = await openExisting({ path: directory.at(".gitignore"), shown: ".gitignore" }).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).size <= maxRuleBytes ? await file.readFile("utf8") : undefined;
  } finally {
    await file.close();
  }
}
