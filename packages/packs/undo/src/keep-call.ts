import { errorText, type Call, type Outcome } from "@toolpacks/core";
import { compileTemplate, createCompilation, outcomeValue } from "@toolpacks/expressions";
import type { Root } from "@toolpacks/files";
import { keepVersions } from "@toolpacks/store";
import type { Entry } from "./entry.ts";
import { keepFiles } from "./keep-files.ts";
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
  const run = () =>
    effects.records === true
      ? keepVersions(
          async (records, local) => {
            if (records.length > 0)
              await add({ records }, local).catch(() => add({ problem: "it changed too much" }, local));
          },
          () => next(call),
        )
      : next(call);
  if (effects.files !== undefined) {
    const checked = await input.check(call.args);
    if (!checked.ok) return next(call);
    const keeping = { log, roots, entry, effects: () => effects.files?.(checked.value) ?? [] };
    const { outcome, problem } = await keepFiles(run, keeping);
    if (problem === undefined || !outcome.ok) return outcome;
    await add({ problem }).catch(() => {});
    return withNotice(outcome, `This call cannot be taken back: ${problem}`);
  }
  const outcome = await run();
  if (effects.records === true || !outcome.ok) return outcome;
  try {
    await add(await inverseOf(call, outcome));
    return outcome;
  } catch (error) {
    // The call was made.
    return withNotice(outcome, `This call cannot be taken back: ${errorText(error)}`);
  }
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
