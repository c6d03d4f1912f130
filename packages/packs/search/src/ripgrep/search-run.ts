import { globRules } from "./glob-rules.ts";
import { rulesArgument, runRipgrep } from "./run-ripgrep.ts";
import { wantedGlobs, type Selection } from "./selection.ts";
import type { Target } from "../target.ts";

/** How ripgrep is run again and again over the targets of one search. */
export interface SearchRun {
  /** Yields what ripgrep writes for one target. A signal of its own ends it before the search ends. */
  run(target: Target, args: readonly string[], signal?: AbortSignal): AsyncGenerator<Buffer>;
  /** Whether the globs admit what it found there. */
  admits(target: Target, found: string): boolean;
}

/** Runs `use` with a search over the files selected, and keeps what it needs open until then. */
export async function withSearchRun<T>(
  selection: Selection,
  signal: AbortSignal,
  use: (run: SearchRun) => Promise<T>,
): Promise<T> {
  const globs = wantedGlobs(selection);
  const rules = globs.length === 0 ? undefined : await globRules(globs);
  try {
    return await use({
      run: (target, args, own) => {
        const more = rules === undefined ? [] : [rulesArgument];
        return runRipgrep({
          args: [...args, ...more, "--", target.argument],
          cwd: target.cwd,
          input: target.input,
          rules: rules?.file.fd,
          signal: own === undefined ? signal : AbortSignal.any([signal, own]),
        });
      },
      admits: (target, found) =>
        rules === undefined || target.input !== undefined || rules.matches(target.below(found)),
    });
  } finally {
    await rules?.file.close();
  }
}
