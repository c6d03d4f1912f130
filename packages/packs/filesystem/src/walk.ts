import { readdir } from "node:fs/promises";
import type { Dirent } from "node:fs";
import path from "node:path";
import { isInside, openDirectory, unlistedNames, type PinnedDirectory } from "@toolpacks/files";
import { createIgnoreRules, ignoreAll, type IgnoreRules } from "./ignore-rules.ts";
import type { WalkPace } from "./walk-pace.ts";

/** An entry that a walk visits. */
export interface Entry {
  readonly entry: Dirent;
  /** The entry's directory. It is open during the visit. */
  readonly directory: PinnedDirectory;
  /** The path below the walk's start, with `/`. */
  readonly relative: string;
}

export interface WalkOptions {
  readonly directory: PinnedDirectory;
  /** Number of directory levels to open; 1 is the directory itself. */
  readonly depth: number;
  /** Called for each directory that is below the depth. */
  readonly onDepth: () => void;
  /** The directory's ignore rules; undefined shows ignored entries too. */
  readonly rules: IgnoreRules | undefined;
  /** The path of the directory below its root. */
  readonly base: string;
  readonly pace: WalkPace;
}

/** Walks a tree. A directory's entries are sorted by name. Links are not followed. */
export async function* walk(options: WalkOptions, below = ""): AsyncGenerator<Entry> {
  const { directory, depth, rules, base, pace } = options;
  const entries = await readdir(directory.path, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    await pace.next();
    if (pace.isTimedOut) return;
    const relative = below === "" ? entry.name : `${below}/${entry.name}`;
    const fromRoot = base === "" ? relative : `${base}/${relative}`;
    if (unlistedNames.has(entry.name) || rules?.ignores(fromRoot, entry.isDirectory())) continue;
    yield { entry, directory, relative };
    if (!entry.isDirectory()) continue;
    if (depth <= 1) {
      options.onDepth();
      continue;
    }
    // A directory that vanished or is not readable is listed, but not entered.
    const child = await openDirectory(directory.at(entry.name), () => true).catch(() => undefined);
    if (child === undefined) continue;
    try {
      yield* walk(
        { ...options, directory: child, depth: depth - 1, rules: await rules?.enter(child, fromRoot) },
        relative,
      );
    } finally {
      await child.close();
    }
  }
}

/** The ignore rules for a directory: of every `.gitignore` from the root down to it. */
export async function rulesFor(
  root: string,
  base: string,
  options: Parameters<typeof createIgnoreRules>[0],
): Promise<IgnoreRules> {
  let rules = createIgnoreRules(options);
  const parts = base === "" ? [] : base.split("/");
  for (let depth = 0; depth <= parts.length; depth += 1) {
    const relative = parts.slice(0, depth).join("/");
    if (depth > 0 && rules.ignores(relative, true)) return ignoreAll;
    const inside = (real: string) => isInside(root, real);
    const directory = await openDirectory(path.join(root, relative), inside).catch(() => undefined);
    if (directory === undefined) return rules;
    rules = await rules.enter(directory, relative);
    await directory.close();
  }
  return rules;
}
