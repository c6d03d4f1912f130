import { errorText, type Call, type FileEffect, type Outcome } from "@toolpacks/core";
import { compileTemplate, createCompilation, outcomeValue } from "@toolpacks/expressions";
import type { Root } from "@toolpacks/files";
import { keepVersions } from "@toolpacks/store";
import type { Entry } from "./entry.ts";
import { changedPath, changesBetween, type FileChange, type Leaf, leavesOf } from "./leaf.ts";
import type { UndoLog } from "./undo-log.ts";

interface KeepOptions {
  readonly log: UndoLog;
  readonly roots: readonly Root[];
  /** The entry of the call, without its changes. */
  readonly entry: Entry;
}

/** Runs a call that mutates, and keeps how it is taken back. */
export async function keepCall(
  call: Call,
  next: (call: Call) => Promise<Outcome>,
  options: KeepOptions,
): Promise<Outcome> {
  const { effects } = call.tool;
  const { log, entry } = options;
  const run = () =>
    effects.records === true
      ? keepVersions(
          (records) => log.add({ ...entry, at: now(), records }),
          () => next(call),
        )
      : next(call);
  if (effects.files === undefined) {
    const outcome = await run();
    if (effects.records !== true && outcome.ok) log.add({ ...entry, at: now(), ...(await inverseOf(call, outcome)) });
    return outcome;
  }
  const input = await call.tool.input.check(call.args);
  const paths = input.ok ? pathsOf(options.roots, () => effects.files?.(input.value) ?? []) : [];
  return paths.length === 0 ? run() : keepFiles(run, paths, options);
}

/** The call that takes back a call, or why there is none. */
async function inverseOf(
  { tool, args }: Call,
  outcome: Extract<Outcome, { readonly ok: true }>,
): Promise<Pick<Entry, "inverse" | "problem">> {
  const { inverse } = tool.effects;
  if (inverse === undefined) return { problem: `${tool.name} has no inverse` };
  try {
    const template = await compileTemplate(inverse.args, { at: "undo", compilation: createCompilation() });
    const evaluation = { measure: async <T>(work: () => T) => work(), takeText: () => {} };
    const resolved = await template.resolve({ args, result: outcomeValue(outcome) }, evaluation);
    return { inverse: { tool: inverse.tool, args: resolved as Readonly<Record<string, unknown>> } };
  } catch (error) {
    return { problem: `its inverse cannot be made: ${errorText(error)}` };
  }
}

/** The real paths that a call may change. None where its tool will refuse it. */
function pathsOf(roots: readonly Root[], effects: () => readonly FileEffect[]): readonly string[] {
  try {
    return effects().map(({ path, follow }) => changedPath(roots, path, follow));
  } catch {
    return [];
  }
}

async function keepFiles(
  run: () => Promise<Outcome>,
  paths: readonly string[],
  { log, entry }: KeepOptions,
): Promise<Outcome> {
  let [id, problem]: (string | undefined)[] = [];
  let before: ReadonlyMap<string, Leaf> = new Map();
  const lost = new Set<string>();
  try {
    before = leavesOf(paths);
    for (const [path, leaf] of before) if (leaf.type === "file" && !log.images.keep(path, leaf)) lost.add(path);
    id = log.begin({ ...entry, files: changesBetween(paths, before) });
  } catch (error) {
    problem = errorText(error);
  }
  const outcome = await run();
  let files: readonly FileChange[] = [];
  try {
    files = changesBetween(paths, before, leavesOf(paths));
  } catch (error) {
    problem ??= errorText(error);
  }
  const moved = new Set(files.map(({ after }) => after?.type === "file" && after.version));
  const isMoved = (leaf: Leaf | null) => leaf?.type === "file" && moved.has(leaf.version);
  const large = files.find(({ path, before: was }) => lost.has(path) && !isMoved(was));
  if (large !== undefined) problem ??= `${large.path} is too large to be kept`;
  const isLost = problem !== undefined && outcome.ok;
  if (id !== undefined) log.end(id, files.length === 0 || isLost ? undefined : { ...entry, at: now(), files });
  if (!isLost) return outcome;
  log.add({ ...entry, at: now(), problem });
  return withNotice(outcome, `This call cannot be taken back: ${problem}`);
}

function now(): string {
  return new Date().toISOString();
}

/** Adds a line for the caller to an outcome. */
export function withNotice(outcome: Outcome, notice: string): Outcome {
  const after = (text: string | undefined) => (text === undefined ? notice : `${text}\n${notice}`);
  if (outcome.ok) return { ...outcome, notice: after(outcome.notice) };
  const { failure, blocks } = outcome;
  const shown = blocks && { blocks: [...blocks, { type: "text", text: notice } as const] };
  return { ...outcome, failure: { ...failure, hint: after(failure.hint) }, ...shown };
}
