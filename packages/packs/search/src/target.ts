import { existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import type { PinnedDirectory, RootEntry, Roots } from "@toolpacks/files";
import type { SearchContext } from "./context.ts";
import { globRules, type GlobRules } from "./ripgrep/glob-rules.ts";
import { pathRecords } from "./ripgrep/path-records.ts";
import { runRipgrep } from "./ripgrep/run-ripgrep.ts";
import { wantedGlobs, type Selection } from "./ripgrep/selection.ts";

/** A directory or a file that is searched. It is open while it is used. */
export interface Target {
  /** The index among the targets of one search. */
  readonly index: number;
  readonly isLast: boolean;
  /** The descriptor of the file and the caller's path, if the target is a file. */
  readonly file?: { readonly descriptor: number; readonly shown: string };
  /** Runs ripgrep on the target, and yields its output. */
  run(args: readonly string[]): AsyncGenerator<Buffer>;
  /** Converts ripgrep's path to the caller's path. Undefined: the globs do not match it. */
  show(found: string): string | undefined;
}

interface Wanted {
  readonly path: string | undefined;
  readonly selection: Selection;
  /** The caller's signal. */
  readonly signal: AbortSignal;
}

/**
 * Searches the file or directory at a path, or each root if the path is absent and there are several. Stops when `use` returns false. After a timeout,
 * `use` keeps its hits so far.
 *
 * @returns whether the search timed out; a cancellation by the caller is thrown
 */
export async function searchTargets(
  { path: requested = ".", selection, signal }: Wanted,
  { roots, timeoutMs }: SearchContext,
  use: (target: Target, deadline: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const globs = wantedGlobs(selection);
  const rules = globs.length === 0 ? undefined : await globRules(globs);
  const run = { rules, signal: deadline };
  const all = outermost(roots);
  const chosen = all.length > 1 && requested === "." ? all : [requested];
  try {
    for (const [index, one] of chosen.entries()) {
      const turn = { index, isLast: index === chosen.length - 1 };
      let more = false;
      if (await isFile(roots, one)) {
        await roots.openFile(one, async ({ fd: descriptor }, _, shown) => {
          more = await use({ ...turn, ...fileTarget({ descriptor, shown }, run) }, deadline);
        });
      } else {
        more = await roots.openDirectory(one, (directory, { shown }) =>
          use({ ...turn, ...directoryTarget(directory, shown, run) }, deadline),
        );
      }
      if (!more) break;
    }
    return false;
  } catch (error) {
    if (!isTimeout(error) || signal.aborted) throw error;
    return true;
  } finally {
    await rules?.file.close();
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Yields the caller's paths of found files, one array for each chunk of ripgrep's output. */
export async function* foundPaths(target: Target, args: readonly string[]): AsyncGenerator<readonly string[]> {
  for await (const batch of pathRecords(target.run(args))) yield batch.flatMap((found) => target.show(found) ?? []);
}

export function isFile(roots: Roots, requested: string): Promise<boolean> {
  const check = async (place: RootEntry) => (await lstat(place.path).catch(() => undefined))?.isFile() === true;
  return roots.at(requested, check);
}

/** The names of the roots that are not inside another root. */
function outermost({ list }: Roots): readonly string[] {
  return list
    .filter((one) => list.every((other) => other === one || !`${one.path}/`.startsWith(`${other.path}/`)))
    .map(({ name }) => name);
}

interface Run {
  readonly rules: GlobRules | undefined;
  readonly signal: AbortSignal;
}

type Place = Pick<Target, "file" | "run" | "show">;

function fileTarget(file: NonNullable<Target["file"]>, { rules, signal }: Run): Place {
  const options = { cwd: "/", input: file.descriptor, globRules: rules?.file, signal };
  return {
    file,
    run: (args) => runRipgrep({ ...options, args: ["--no-require-git", ...args, "--", "-"] }),
    show: () => file.shown,
  };
}

function directoryTarget(directory: PinnedDirectory, shown: string, { rules, signal }: Run): Place {
  const prefix = shown === "." ? "" : `${shown}/`;
  // Outside a repository, the rules of a `.gitignore` hold too.
  const first = isInRepository(directory.real) ? [] : ["--no-require-git"];
  const options = { cwd: directory.path, globRules: rules?.file, signal };
  return {
    run: (args) => runRipgrep({ ...options, args: [...first, ...args, "--", "./"] }),
    show(found) {
      const below = found.startsWith("./") ? found.slice(2) : found;
      return rules === undefined || rules.matches(below) ? prefix + below : undefined;
    },
  };
}

function isInRepository(directory: string): boolean {
  const above = path.dirname(directory);
  return existsSync(path.join(directory, ".git")) || (above !== directory && isInRepository(above));
}
