import { errorText, type Call, type FileEffect, type Outcome } from "@toolpacks/core";
import { compileTemplate, createCompilation, outcomeValue } from "@toolpacks/expressions";
import { isInside, type Root } from "@toolpacks/files";
import { keepVersions } from "@toolpacks/store";
import type { Entry } from "./entry.ts";
import { changedPath, changesBetween, type FileChange, type Leaf, type Leaves, leavesOf, withContent } from "./leaf.ts";
import { putEntry } from "./stored-entries.ts";
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
          async (records, local) => {
            if (records.length > 0) await putEntry(local, { ...entry, at: now(), records });
          },
          () => next(call),
        )
      : next(call);
  if (effects.files === undefined) {
    const outcome = await run();
    if (effects.records !== true && outcome.ok) log.add({ ...entry, at: now(), ...(await inverseOf(call, outcome)) });
    return outcome;
  }
  const input = await call.tool.input.check(call.args);
  const places = input.ok ? placesOf(options.roots, () => effects.files?.(input.value) ?? []) : [];
  return places.length === 0 ? run() : keepFiles(run, places, options);
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

/** A real path that a call may change. */
interface Place {
  readonly path: string;
  readonly isMoved: boolean;
}

/** None where the tool will refuse the call. */
function placesOf(roots: readonly Root[], effects: () => readonly FileEffect[]): readonly Place[] {
  try {
    return effects().map(({ path, follow, isMoved = false }) => ({ path: changedPath(roots, path, follow), isMoved }));
  } catch {
    return [];
  }
}

async function keepFiles(
  run: () => Promise<Outcome>,
  places: readonly Place[],
  { log, entry }: KeepOptions,
): Promise<Outcome> {
  const paths = places.map(({ path }) => path);
  const leaves = () => leavesOf(paths);
  let [id, problem]: (string | undefined)[] = [];
  let before: Leaves = new Map();
  try {
    // What replaces a folder above it is not moved, since it cannot be moved back.
    const moved = places.filter(
      (one) => one.isMoved && !paths.some((path) => path !== one.path && isInside(path, one.path)),
    );
    const isMoved = (path: string) => moved.some((place) => isInside(place.path, path));
    const keep = (path: string, leaf: Leaf) => (isMoved(path) ? leaf : withContent(path, leaf, log.maxFileBytes));
    before = new Map(Array.from(leaves(), ([path, leaf]) => [path, keep(path, leaf)]));
    const files = [...new Set([...paths, ...before.keys()])].map((path) => ({
      path,
      before: before.get(path) ?? null,
    }));
    id = await log.begin({ ...entry, files });
  } catch (error) {
    problem = errorText(error);
  }
  const outcome = await run();
  let files: readonly FileChange[] = [];
  try {
    files = changesBetween(before, leaves(), log.maxFileBytes);
    problem ??= lostContent(files);
  } catch (error) {
    problem ??= errorText(error);
  }
  const isLost = problem !== undefined && outcome.ok;
  if (id !== undefined) log.end(id, files.length === 0 || isLost ? undefined : { ...entry, at: now(), files });
  if (!isLost) return outcome;
  log.add({ ...entry, at: now(), problem });
  return withNotice(outcome, `This call cannot be taken back: ${problem}`);
}

/** Which changed file was neither kept nor moved. */
function lostContent(files: readonly FileChange[]): string | undefined {
  const left = new Set(files.map(({ after }) => after?.type === "file" && after.version));
  const lost = files.find(
    ({ before }) => before?.type === "file" && before.content === undefined && !left.has(before.version),
  );
  return lost && `${lost.path} is too large to be kept`;
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
