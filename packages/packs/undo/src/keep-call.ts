import { errorText, type Call, type Outcome } from "@toolpacks/core";
import type { Root } from "@toolpacks/files";
import { type KeepVersions, keepVersions } from "@toolpacks/store";
import type { CallFacts, Entry, FileChange } from "./entry.ts";
import { changedPath, readLeaves, type Leaf } from "./leaves.ts";
import type { UndoLog } from "./undo-log.ts";

export interface KeepOptions {
  readonly log: UndoLog;
  readonly roots: readonly Root[];
  readonly facts: CallFacts;
}

type Next = (call: Call) => Promise<Outcome>;

/** Runs a call that mutates, and keeps how it is taken back. */
export async function keepCall(call: Call, next: Next, options: KeepOptions): Promise<Outcome> {
  const { records, files } = call.tool.effects;
  const { log, facts } = options;
  const run = () => (records === true ? keepVersions(keeperOf(log, facts), () => next(call)) : next(call));
  if (files === undefined && records === true) return run();
  if (files === undefined) return keepOther(call, run, options);
  const input = await call.tool.input.check(call.args);
  if (!input.ok) return run();
  return keepFiles(run, () => files(input.value), options);
}

/** Keeps the versions of the records of one transaction. Where that fails, the transaction goes on. */
export function keeperOf(log: UndoLog, facts: CallFacts): KeepVersions {
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

type Effects = () => readonly { readonly path: string; readonly follow?: boolean }[];

async function keepFiles(
  run: () => Promise<Outcome>,
  effects: Effects,
  { log, roots, facts }: KeepOptions,
): Promise<Outcome> {
  let paths: readonly string[];
  try {
    paths = effects().map(({ path, follow }) => changedPath(roots, path, follow));
  } catch {
    // The tool says what is wrong.
    return run();
  }
  let problem: string | undefined;
  const lost: string[] = [];
  const releases = new Map<string, () => void>();
  let before: ReadonlyMap<string, Leaf> = new Map();
  let end = (entry: Entry | undefined) => entry && log.add(entry);
  try {
    before = leavesOf(paths);
    for (const [at, leaf] of before) {
      const release = leaf.type === "file" ? log.images.keep(at, leaf) : () => {};
      if (release === undefined) lost.push(at);
      else releases.set(at, release);
    }
    if (paths.length > 0) end = log.begin({ ...facts, files: changesBetween(paths, before) });
  } catch (error) {
    problem = `its files could not be kept: ${errorText(error)}`;
  }
  const outcome = await run();
  let files: readonly FileChange[] = [];
  try {
    files = changesBetween(paths, before, leavesOf(paths));
  } catch (error) {
    problem ??= `what it left cannot be read: ${errorText(error)}`;
  }
  const at = new Date().toISOString();
  for (const { path } of files) releases.delete(path);
  for (const release of releases.values()) release();
  const isLost = lost.length > 0 && files.some(({ path, before: file }) => file !== null && lost.includes(path));
  if (isLost) problem ??= `${lost.slice(0, 3).join(", ")} is too large to be kept`;
  if (problem !== undefined && outcome.ok) end({ ...facts, at, problem });
  else end(files.length === 0 ? undefined : { ...facts, at, files });
  return problem === undefined || !outcome.ok
    ? outcome
    : withNotice(outcome, `This call cannot be taken back: ${problem}.`);
}

function leavesOf(paths: readonly string[]): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  for (const path of paths) readLeaves(path, leaves);
  return leaves;
}

/** What has changed at and below paths. Without what is there after it: all that may change. */
export function changesBetween(
  paths: readonly string[],
  before: ReadonlyMap<string, Leaf>,
  after?: ReadonlyMap<string, Leaf>,
): readonly FileChange[] {
  return [...new Set([...paths, ...before.keys(), ...(after?.keys() ?? [])])].flatMap((path) => {
    const [was, is] = [before.get(path) ?? null, after?.get(path) ?? null];
    if (after === undefined) return [{ path, before: was }];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ path, before: was, after: is }];
  });
}

/** Keeps that a call happened which only another call can take back. */
async function keepOther(call: Call, run: () => Promise<Outcome>, { log, facts }: KeepOptions): Promise<Outcome> {
  const outcome = await run();
  if (outcome.ok) log.add({ ...facts, problem: `${call.tool.name} has no inverse` });
  return outcome;
}

/** Adds a line for the caller to an outcome. */
export function withNotice(outcome: Outcome, notice: string): Outcome {
  if (outcome.ok) return { ...outcome, notice: [outcome.notice, notice].filter(Boolean).join("\n") };
  const { failure, blocks } = outcome;
  const hint = [failure.hint, notice].filter(Boolean).join("\n");
  return {
    ...outcome,
    failure: { ...failure, hint },
    ...(blocks && { blocks: [...blocks, { type: "text", text: notice }] }),
  };
}
