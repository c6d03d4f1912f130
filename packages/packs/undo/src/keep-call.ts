import { errorText, type Call, type Interceptor, type Outcome } from "@toolpacks/core";
import { compileTemplate, createCompilation, outcomeValue } from "@toolpacks/expressions";
import type { Root } from "@toolpacks/files";
import { type KeepVersions, keepVersions } from "@toolpacks/store";
import { type Entry, netVersions } from "./entry.ts";
import { beginFiles, planOf, runFiles } from "./keep-files.ts";
import type { UndoLog } from "./undo-log.ts";

type Next = Parameters<Interceptor>[1];

interface Keeping {
  readonly log: UndoLog;
  readonly roots: readonly Root[];
  /** The entry of the call, without its changes. */
  readonly entry: Entry;
}

/** Runs a call that mutates, and keeps how it is taken back. */
export async function keepCall(call: Call, next: Next, { log, roots, entry }: Keeping): Promise<Outcome> {
  const { effects, input } = call.tool;
  const add = (more: Partial<Entry>, local = log.local) => log.add({ ...entry, ...more }, local);
  const keepRecords: KeepVersions = async (versions, local) => {
    const records = netVersions(versions);
    if (records.length > 0) await add({ records }, local).catch(() => add({ problem: "it changed too much" }, local));
  };
  const run = () => (effects.records === true ? keepVersions(keepRecords, () => next(call)) : next(call));
  const checked = effects.files && (await input.check(call.args));
  const find = async () => {
    call.context.signal.throwIfAborted();
    return planOf((checked?.ok === true && effects.files?.(checked.value)) || [], roots);
  };
  /** The entry of its files, or why they cannot be kept. */
  const begun = checked?.ok === true ? await beginFiles(log, entry, find).catch(errorText) : undefined;
  if (typeof begun === "object") {
    const { outcome, problem } = await runFiles(log, begun, run);
    return sayProblem(outcome, problem);
  }
  const outcome = await run();
  const isKept = begun === undefined && (effects.records === true || effects.files !== undefined);
  if (!outcome.ok || isKept) return outcome;
  const facts = begun === undefined ? await inverseOf(call, outcomeValue(outcome)) : { problem: begun };
  const unkept = await add(facts).then(() => undefined, errorText);
  return sayProblem(outcome, begun ?? unkept);
}

function sayProblem(outcome: Outcome, problem: string | undefined): Outcome {
  return outcome.ok && problem !== undefined ? withNotice(outcome, problemNotice(problem)) : outcome;
}

export function problemNotice(problem: string): string {
  return `This call cannot be taken back: ${problem}`;
}

/** The call that takes back a call, or why there is none. */
async function inverseOf({ tool, args }: Call, result: unknown): Promise<Pick<Entry, "inverse" | "problem">> {
  const { inverse } = tool.effects;
  if (inverse === undefined) return { problem: `${tool.name} has no inverse` };
  try {
    const template = await compileTemplate(inverse.args, { at: "undo", compilation: createCompilation() });
    const evaluation = { measure: async <T>(work: () => T) => work(), takeText: () => {} };
    const resolved = await template.resolve({ args, result }, evaluation);
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
