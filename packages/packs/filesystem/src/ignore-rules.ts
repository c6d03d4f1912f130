import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { parseIgnoreFile, type IgnoreFile, type PinnedDirectory } from "@toolpacks/core/roots";

/** The `.gitignore` files from a root down to one directory. */
export interface IgnoreRules {
  /** `relative` is the entry's path below the root, with `/`. */
  ignores(relative: string, isDirectory: boolean): boolean;
  /** The rules that hold below a directory, with its own `.gitignore` if it has one. */
  enter(directory: PinnedDirectory, relative: string): Promise<IgnoreRules>;
}

interface Layer {
  /** The path below the root of the directory whose file it is, `` or ending in `/`. */
  readonly base: string;
  readonly file: IgnoreFile;
}

interface IgnoreRulesOptions {
  /** Is told the path of each `.gitignore` of which only a part is used. */
  readonly onCut: (path: string) => void;
}

const maxRuleBytes = 1024 * 1024;

/** No rules yet; `enter` the root first, then each directory on the way. */
export function createIgnoreRules({ onCut }: IgnoreRulesOptions): IgnoreRules {
  const layered = (layers: readonly Layer[]): IgnoreRules => ({
    ignores(relative, isDirectory) {
      // The deepest file that says anything about an entry decides, as in git.
      for (const { base, file } of layers) {
        const verdict = file.ignores(relative.slice(base.length), isDirectory);
        if (verdict !== undefined) return verdict;
      }
      return false;
    },
    async enter(directory, relative) {
      const base = relative === "" ? "" : `${relative}/`;
      const text = await readRules(directory);
      if (text === undefined) return layered(layers);
      const file = parseIgnoreFile(text === "large" ? "" : text);
      if (file.isCut || text === "large") onCut(`${base}.gitignore`);
      return layered([{ base, file }, ...layers]);
    },
  });
  return layered([]);
}

/** The rules of everything below a directory that is ignored itself. */
export const ignoreAll: IgnoreRules = {
  ignores: () => true,
  enter: async () => ignoreAll,
};

/** Never waits for what is not a regular file: opening a pipe would. */
async function readRules(directory: PinnedDirectory): Promise<string | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(directory.at(".gitignore"), flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    return stats.size <= maxRuleBytes ? await file.readFile("utf8") : "large";
  } finally {
    await file.close();
  }
}
