import type { Target } from "../target.ts";
import { globRules } from "./glob-rules.ts";
import { runRipgrep } from "./run-ripgrep.ts";
import { wantedGlobs, type Selection } from "./selection.ts";

/** Runs ripgrep over the targets of one search. */
export interface SearchRun {
  /** Yields ripgrep's output for one target. */
  run(target: Target, args: readonly string[]): AsyncGenerator<Buffer>;
  /** Whether the globs match a found path. */
  admits(target: Target, found: string): boolean;
}

/** Calls `use` with a search over the selected files. Closes the file with the globs afterwards. */
export async function withSearchRun<T>(
  selection: Selection,
  signal: AbortSignal,
  use: (run: SearchRun) => Promise<T>,
): Promise<T> {
  const globs = wantedGlobs(selection);
  const rules = globs.length === 0 ? undefined : await globRules(globs);
  try {
    return await use({
      run: (target, args) =>
        runRipgrep({
          args: [...(target.inRepository ? [] : ["--no-require-git"]), ...args, "--", target.argument],
          cwd: target.cwd,
          input: target.input,
          globRules: rules?.file,
          signal,
        }),
      admits: (target, found) =>
        rules === undefined || target.input !== undefined || rules.matches(target.below(found)),
    });
  } finally {
    await rules?.file.close();
  }
}
