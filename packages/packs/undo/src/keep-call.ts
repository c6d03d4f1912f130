import { errorText, type Call, type FileEffect, type Outcome } from "@toolpacks/core";
import type { Root } from "@toolpacks/files";
import { type KeepVersions, keepVersions } from "@toolpacks/store";
import type { CallFacts, FileChange, Node } from "./entry.ts";
import { filesIn } from "./images.ts";
import { changedPath, readNode } from "./nodes.ts";
import type { UndoLog } from "./undo-log.ts";

export interface KeepOptions {
  readonly log: UndoLog;
  readonly roots: readonly Root[];
  readonly facts: CallFacts;
}

type Next = (call: Call) => Promise<Outcome>;

/** Runs a call that mutates, and keeps how it is taken back. */
export async function keepCall(call: Call, next: Next, options: KeepOptions): Promise<Outcome> {
  const { effects } = call.tool;
  const run = () => (effects.records === true ? keepVersions(keeperOf(options), () => next(call)) : next(call));
  if (effects.files === undefined) return effects.records === true ? run() : keepCallOfOther(call, next, options);
  const input = await call.tool.input.check(call.args);
  if (!input.ok) return next(call);
  return keepFiles(run, { ...options, effects: (result) => effects.files?.(input.value, result) ?? [] });
}

/** Keeps the versions of the records of one transaction. Where that fails, the transaction goes on. */
export function keeperOf({ log, facts }: Pick<KeepOptions, "log" | "facts">): KeepVersions {
  return (records) => {
    const entry = { ...facts, at: new Date().toISOString(), records };
    try {
      const end = log.begin(entry);
      return (isCommitted) => end(isCommitted ? entry : undefined);
    } catch (error) {
      return () => log.add({ ...facts, problem: `its records could not be kept: ${errorText(error)}` });
    }
  };
}

interface FileOptions extends KeepOptions {
  readonly effects: (result?: Readonly<Record<string, unknown>>) => readonly FileEffect[];
}

async function keepFiles(run: () => Promise<Outcome>, options: FileOptions): Promise<Outcome> {
  const { log, roots, facts, effects } = options;
  let changes: readonly FileChange[] = [];
  let end: ReturnType<UndoLog["begin"]> = (entry) => entry && log.add(entry);
  try {
    changes = effectsOrNone(effects).map((effect) => beforeChange(effect, roots, log));
    if (changes.length > 0) end = log.begin({ ...facts, files: changes });
  } catch (error) {
    const problem = `its files could not be kept: ${errorText(error)}`;
    const outcome = await run();
    if (!outcome.ok) return outcome;
    log.add({ ...facts, problem });
    return withNotice(outcome, `This call cannot be taken back: ${problem}`);
  }
  const lost = changes.flatMap(({ path, before }) =>
    [...filesIn(before)].flatMap(([below, { hash }]) => (hash === undefined ? `${path}${below}` : [])),
  );
  const outcome = await run();
  if (changes.length === 0) changes = effectsOrNone(effects, outcome).map((effect) => beforeChange(effect, roots));
  const files = changes.map((change) => afterChange(change)).filter((change) => change !== undefined);
  end(files.length === 0 ? undefined : { ...facts, at: new Date().toISOString(), files });
  if (lost.length === 0 || files.length === 0) return outcome;
  return withNotice(outcome, `This call cannot be taken back: ${lost.slice(0, 3).join(", ")} is too large to be kept.`);
}

/** The effects of a call that its tool accepts. Otherwise none: the tool says what is wrong. */
function effectsOrNone(effects: FileOptions["effects"], outcome?: Outcome): readonly FileEffect[] {
  try {
    return outcome?.ok === false ? [] : effects(outcome?.value);
  } catch {
    return [];
  }
}

/** @param log keeps the content. Undefined: the call is over, and what it moved was at a free path */
function beforeChange({ path, follow, movedFrom }: FileEffect, roots: readonly Root[], log?: UndoLog): FileChange {
  const real = changedPath(roots, path, follow);
  const before = log === undefined ? null : readNode(real, log.images.hold);
  return { path: real, before, ...(movedFrom !== undefined && { movedFrom: changedPath(roots, movedFrom, false) }) };
}

/** The change with what the call left. Undefined: it changed nothing. */
function afterChange(change: FileChange): FileChange | undefined {
  const after = readNode(change.path);
  const left = change.movedFrom === undefined ? null : readNode(change.movedFrom);
  if (change.movedFrom !== undefined && left === null) return { ...change, after };
  const { movedFrom, ...only } = change;
  return isUntouched(change.before, after) ? undefined : { ...only, after };
}

/** Whether an entry is the same, by the versions of its files. */
function isUntouched(before: Node | null, after: Node | null): boolean {
  const facts = (node: Node | null) =>
    JSON.stringify(node, (key, value: unknown) => (key === "hash" ? undefined : value));
  return facts(before) === facts(after);
}

/** Keeps that a call of another server happened, and the call that takes it back. */
async function keepCallOfOther(call: Call, next: Next, { log, facts }: KeepOptions): Promise<Outcome> {
  const outcome = await next(call);
  if (!outcome.ok && outcome.isRefused === true) return outcome;
  const problem = `${call.tool.name} has no inverse`;
  log.add({ ...facts, problem });
  return outcome;
}

/** Adds a line for the caller to an outcome. */
export function withNotice(outcome: Outcome, notice: string): Outcome {
  if (outcome.ok) return { ...outcome, notice: outcome.notice === undefined ? notice : `${outcome.notice}\n${notice}` };
  const { failure, blocks } = outcome;
  const hint = failure.hint === undefined ? notice : `${failure.hint}\n${notice}`;
  return {
    ...outcome,
    failure: { ...failure, hint },
    ...(blocks && { blocks: [...blocks, { type: "text", text: notice }] }),
  };
}
