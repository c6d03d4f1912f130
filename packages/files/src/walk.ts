import { createPace, type Pace } from "@toolpacks/core";
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { ignoreAll, noRules, type IgnoreRules } from "./ignore-rules.ts";
import { openDirectory, type PinnedDirectory } from "./pinned-directory.ts";
import { isInside } from "./root-paths.ts";
import type { RootEntry, Roots } from "./roots.ts";
import { unlistedNames } from "./unlisted-names.ts";

/** An entry that a walk visits. */
export interface WalkEntry {
  readonly entry: Dirent;
  /** The entry's directory. It is open during the visit. */
  readonly directory: PinnedDirectory;
  /** The path below the walk's start, with `/`. */
  readonly relative: string;
  /** The path as a caller knows it. */
  readonly path: string;
}

interface WalkOptions {
  readonly path: string;
  /** Number of directory levels to open; 1 is the directory itself. */
  readonly depth: number;
  /** Whether entries that git ignores are visited, too. */
  readonly ignored?: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Walks a folder while `use` runs. */
export function walkFolder<T>(roots: Roots, options: WalkOptions, use: (walk: Walk) => Promise<T>): Promise<T> {
  return roots.openDirectory(options.path, (directory, place) => use(new Walk(directory, place, options)));
}

const maxWalked = 100_000;

interface Level {
  readonly directory: PinnedDirectory;
  /** The path of the directory below the walk's start. */
  readonly below: string;
  readonly depth: number;
  readonly rules: IgnoreRules | undefined;
}

/** A walk of a tree. A directory's entries are sorted by name. Links are not followed. */
export class Walk {
  /** The folder as its caller knows it. */
  readonly shown: string;
  readonly depth: number;
  /** Why the walk ended early, such as `30 s`. Undefined if it did not. */
  stopped: string | undefined;
  /** Whether there are directories below the depth. */
  isTooDeep = false;
  readonly #directory: PinnedDirectory;
  readonly #root: string;
  /** The path of the folder below its root. */
  readonly #base: string;
  readonly #options: WalkOptions;
  readonly #end: number;
  readonly #pause: Pace;
  #visited = 0;

  constructor(directory: PinnedDirectory, { root, shown }: RootEntry, options: WalkOptions) {
    this.shown = shown;
    this.depth = options.depth;
    this.#directory = directory;
    this.#root = root.path;
    this.#base = directory.real.slice(root.path.length).replace(/^\//, "");
    this.#options = options;
    this.#end = performance.now() + options.timeoutMs;
    this.#pause = createPace(options.signal);
  }

  async *entries(): AsyncGenerator<WalkEntry> {
    const rules = this.#options.ignored === true ? undefined : await rulesFor(this.#root, this.#base);
    yield* this.#entriesIn({ directory: this.#directory, below: "", depth: this.depth, rules });
  }

  async *#entriesIn({ directory, below, depth, rules }: Level): AsyncGenerator<WalkEntry> {
    const entries = await readdir(directory.path, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      await this.#pace();
      if (this.stopped !== undefined) return;
      const relative = joined(below, entry.name);
      const fromRoot = joined(this.#base, relative);
      if (unlistedNames.has(entry.name) || rules?.ignores(fromRoot, entry.isDirectory())) continue;
      this.#visited += 1;
      if (this.#visited > maxWalked) {
        this.stopped = `${maxWalked} entries`;
        return;
      }
      yield { entry, directory, relative, path: this.shown === "." ? relative : `${this.shown}/${relative}` };
      if (!entry.isDirectory()) continue;
      if (depth <= 1) {
        this.isTooDeep = true;
        continue;
      }
      // A directory that vanished or is not readable is listed, but not entered.
      const child = await openDirectory(directory.at(entry.name), () => true).catch(() => undefined);
      if (child === undefined) continue;
      try {
        const inner = await rules?.enter(child, fromRoot);
        yield* this.#entriesIn({ directory: child, below: relative, depth: depth - 1, rules: inner });
      } finally {
        await child.close();
      }
    }
  }

  /** Ends the walk at its timeout, and yields to the event loop regularly. Throws if the signal is aborted. */
  async #pace(): Promise<void> {
    if (performance.now() > this.#end) this.stopped ??= `${this.#options.timeoutMs / 1000} s`;
    await this.#pause();
  }
}

function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The ignore rules for a directory: of every `.gitignore` from the root down to it. */
async function rulesFor(root: string, base: string): Promise<IgnoreRules> {
  let rules = noRules;
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
