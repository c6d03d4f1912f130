import { errorText, type Call, type Outcome } from "@toolpacks/core";
import { compileTemplate, createCompilation, outcomeValue } from "@toolpacks/expressions";
import type { Root } from "@toolpacks/files";
import { type KeepVersions, keepVersions } from "@toolpacks/store";
import type { Entry } from "./entry.ts";
import { beginFiles, planOf, runFiles } from "./keep-files.ts";
import type { UndoLog } from "./undo-log.ts";

interface CallKeeping {
  readonly log: UndoLog;
  readonly roots: readonly Root[];
  /** The entry of the call, without its changes. */
  readonly entry: Entry;
}

/** Runs a call that mutates, and keeps how it is taken back. */
export async function keepCall(
  call: Call,
  next: (call: Call) => Promise<Outcome>,
  { log, roots, entry }: CallKeeping,
): Promise<Outcome> {
  const { effects, input } = call.tool;
  const add = (more: Partial<Entry>, local = log.local) => log.add({ ...entry, ...more }, local);
  const keepRecords: KeepVersions = async (records, local) => {
    if (records.length > 0) await add({ records }, local).catch(() => add({ problem: "it changed too much" }, local));
  };
  const run = () => (effects.records === true ? keepVersions(keepRecords, () => next(call)) : next(call));
  let problem: string | undefined;
  if (effects.files !== undefined) {
    const checked = await input.check(call.args);
    const find = () => (checked.ok ? planOf(() => effects.files?.(checked.value) ?? [], roots) : undefined);
    const kept = await beginFiles({ log, entry, find }).catch(errorText);
    if (kept === undefined) return run();
    if (typeof kept === "object") {
      const done = await runFiles(log, kept, run);
      return sayProblem(done.result, done.problem);
    }
    problem = kept;
  }
  const outcome = await run();
  if (!outcome.ok || (problem === undefined && effects.records === true)) return outcome;
  const kept = add(problem === undefined ? await inverseOf(call, outcome) : { problem });
  return sayProblem(
    outcome,
    await kept.then(
      () => problem,
      (error: unknown) => problem ?? errorText(error),
    ),
  );
}

function sayProblem(outcome: Outcome, problem: string | undefined): Outcome {
  const isSaid = outcome.ok && problem !== undefined;
  return isSaid ? withNotice(outcome, `This call cannot be taken back: ${problem}`) : outcome;
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

/** Adds a line for the caller to an outcome. */
export function withNotice(outcome: Outcome, notice: string): Outcome {
  const after = (text: string | undefined) => (text === undefined ? notice : `${text}\n${notice}`);
  if (outcome.ok) return { ...outcome, notice: after(outcome.notice) };
  const { failure, blocks } = outcome;
  const shown = blocks && { blocks: [...blocks, { type: "text", text: notice } as const] };
  return { ...outcome, failure: { ...failure, hint: after(failure.hint) }, ...shown };
}
