import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { PinnedDirectory } from "@toolpacks/core/roots";
import type { Ignore } from "ignore";

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
  readonly rules: Ignore;
}

const mostRuleBytes = 1024 * 1024;

/** No rules yet; `enter` the root first, then each directory on the way. */
export async function createIgnoreRules(): Promise<IgnoreRules> {
  const { default: ignore } = await import("ignore");
  const layered = (layers: readonly Layer[]): IgnoreRules => ({
    ignores(relative, isDirectory) {
      // The deepest file that says anything about an entry decides, as in git.
      for (const { base, rules } of layers) {
        const verdict = rules.test(relative.slice(base.length) + (isDirectory ? "/" : ""));
        if (verdict.ignored || verdict.unignored) return verdict.ignored;
      }
      return false;
    },
    async enter(directory, relative) {
      const text = await readRules(directory);
      if (text === undefined) return layered(layers);
      const base = relative === "" ? "" : `${relative}/`;
      return layered([{ base, rules: ignore().add(text) }, ...layers]);
    },
  });
  return layered([]);
}

async function readRules(directory: PinnedDirectory): Promise<string | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(directory.at(".gitignore"), flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= mostRuleBytes ? await file.readFile("utf8") : undefined;
  } finally {
    await file.close();
  }
}
