import type { Target } from "../target.ts";
import { globRules } from "./glob-rules.ts";
import { ignoreRules } from "./ignore-rules.ts";
import type { RuleFile } from "./rule-file.ts";
import { runRipgrep } from "./run-ripgrep.ts";
import { wantedGlobs, type Selection } from "./selection.ts";

/** Runs ripgrep over the targets of one search. */
export interface SearchRun {
  /** Yields ripgrep's output for one target. The optional signal stops this run only. */
  run(target: Target, args: readonly string[], signal?: AbortSignal): AsyncGenerator<Buffer>;
  /** Whether the globs match a found path. */
  admits(target: Target, found: string): boolean;
}

/** Calls `use` with a search over the selected files. Closes the rule files afterwards. */
export async function withSearchRun<T>(
  selection: Selection,
  signal: AbortSignal,
  use: (run: SearchRun) => Promise<T>,
): Promise<T> {
  const globs = wantedGlobs(selection);
  const rules = globs.length === 0 ? undefined : await globRules(globs);
  const ignoring = new Map<Target, Promise<RuleFile | undefined>>();
  const ignoreRulesOf = (target: Target) => {
    if (selection.ignored === true) return undefined;
    const found = ignoring.get(target) ?? ignoreRules(target, signal);
    ignoring.set(target, found);
    return found;
  };
  try {
    return await use({
      async *run(target, args, own) {
        yield* runRipgrep({
          args: [...args, "--", target.argument],
          cwd: target.cwd,
          input: target.input,
          globRules: rules?.file,
          ignoreRules: await ignoreRulesOf(target),
          signal: own === undefined ? signal : AbortSignal.any([signal, own]),
        });
      },
      admits: (target, found) =>
        rules === undefined || target.input !== undefined || rules.matches(target.below(found)),
    });
  } finally {
    await rules?.file.close();
    for (const found of await Promise.allSettled(ignoring.values())) {
      if (found.status === "fulfilled") await found.value?.close();
    }
  }
}
