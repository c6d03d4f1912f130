import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { FileEffect, Outcome, Store } from "@toolpacks/core";
import { isInside, realPath, type Root } from "@toolpacks/files";
import { newRecordId } from "@toolpacks/store";
import { keepContent } from "./contents.ts";
import { entryKind, pathsOf, putEntry, type Entry, type KeptEntry, type Move } from "./entry.ts";
import { leavesOf, overlap, readLeaf, unkeptProblem, withContent } from "./leaf.ts";
import { endKilledCalls, thisProcess, unendedCalls, writeEnds } from "./unended-calls.ts";
import type { UndoLog } from "./undo-log.ts";

/** What a call or an undo may change. */
export interface FilePlan {
  /** Paths that may change, with all below them. */
  readonly tops: readonly string[];
  readonly moved?: Move | undefined;
  /** Paths at and below which no other call may change anything meanwhile. */
  readonly locked: readonly string[];
  /** Why it cannot be kept. */
  readonly problem?: string | undefined;
  /** Undos that were killed, which this one goes on with: they become part of it. */
  readonly halves?: readonly KeptEntry[];
}

const busy = Symbol("another call may change the same");
const pauseMs = 10;

/**
 * Keeps the old state of all that may change, as soon as no other call may change the same.
 *
 * @param entry of the call, without its changes
 * @param find called again after each wait for another call, which may have created a folder of the paths. Undefined: nothing may change
 * @throws Error if it cannot be kept
 */
export async function beginFiles(log: UndoLog, entry: Entry, find: (inside: Store) => Promise<FilePlan | undefined>) {
  const id = newRecordId();
  const { local } = log;
  let written: readonly string[] = [];
  const begin = async (inside: Store) => {
    unendedCalls.delete(id);
    written = [];
    const elsewhere = await endKilledCalls(inside, log.maxFileBytes, { not: { running: thisProcess } });
    const plan = await find(inside);
    if (plan === undefined) return undefined;
    const here = [...unendedCalls.values()].filter(({ paths }) => overlap(paths, plan.locked));
    const isRunning = elsewhere.some((other) => overlap(pathsOf(other), plan.locked));
    if (isRunning || here.some(({ end }) => end === undefined)) return busy;
    if (plan.problem !== undefined) throw new Error(plan.problem);
    // If this process is killed, what they have left would be read after this call.
    written = await writeEnds(inside, log.lockFile, plan.locked);
    unendedCalls.set(id, { paths: plan.locked, lockFile: log.lockFile });
    const before = await keepBefore(plan, inside, { ...entry, maxBytes: log.maxFileBytes });
    for (const half of plan.halves ?? []) {
      unendedCalls.delete(half.id);
      await inside.delete(entryKind, half.id);
    }
    return putEntry(inside, { ...entry, ...before, id, running: thisProcess });
  };
  for (;;) {
    const kept = await local.transaction(begin).catch((error: unknown) => {
      unendedCalls.delete(id);
      throw error;
    });
    for (const one of written) unendedCalls.delete(one);
    if (kept !== busy) return kept;
    await wait(pauseMs);
  }
}

/** Runs the work of an entry that has begun, and keeps what it has left. Returns its outcome, and why what it has left cannot be taken back. */
export async function runFiles<T extends Outcome | void>(log: UndoLog, kept: KeptEntry, work: () => Promise<T>) {
  const outcome = await work().catch((error: unknown) => {
    log.end({ ...kept, isPartial: true }, true);
    throw error;
  });
  return { outcome, problem: log.end(kept, outcome?.ok === false) };
}

type BeforeOptions = Pick<Entry, "undoes"> & { readonly maxBytes: number };

/** Stores what is before a call or an undo. An undo need not be kept whole. */
async function keepBefore({ tops, moved, halves = [] }: FilePlan, inside: Store, { undoes, maxBytes }: BeforeOptions) {
  const done = moved === undefined ? halves.find((one) => one.moved)?.moved : undefined;
  const before = leavesOf(tops, done?.to ?? moved?.from);
  const sizes = Array.from(before.values(), (leaf) => (leaf.type === "file" ? leaf.size : 0));
  if (undoes === undefined && sizes.reduce((sum, size) => sum + size, 0) > maxBytes)
    throw new Error("it is too large to be kept");
  const stored = await Array.fromAsync(new Set([...tops, ...before.keys()]), async (path) => ({
    path,
    before: await keepContent(inside, before.get(path) ?? null, { path, maxBytes }),
  }));
  const half = halves.flatMap((one) => one.files ?? []);
  const oldest = new Map([...stored, ...half].map((one) => [one.path, { path: one.path, before: one.before }]));
  const files = [...oldest.values()];
  const problem = unkeptProblem(files, maxBytes);
  if (undoes === undefined && problem !== undefined) throw new Error(problem);
  // An undo may move another file than the call did, with the same content.
  const leafOf = ({ from, leaf }: Move) => withContent(from, readLeaf(from) ?? leaf, maxBytes);
  return { files, moved: done ?? (moved && { ...moved, leaf: leafOf(moved) }) };
}

/** What a call may change by the effects of its tool. Undefined: no files. @throws Error if that cannot be kept */
export function planOf(effects: readonly FileEffect[], roots: readonly Root[]): FilePlan | undefined {
  const places = effects.map(({ path: absolute, follow = true, to, onlyIfMissing = false }) => {
    const real = follow ? realPath(absolute) : entryPath(absolute);
    const target = to === undefined ? real : entryPath(to);
    if (![real, target].every((one) => roots.some((root) => isInside(root.path, one))))
      throw new Error("it is outside of the roots");
    const leaf = to === undefined ? null : readLeaf(real);
    const moved = leaf === null ? undefined : { from: real, to: target, leaf };
    const isFree = !onlyIfMissing || readLeaf(target) === null;
    return {
      // Also the links on the way there, which no other call may replace meanwhile.
      paths: [absolute, ...(to === undefined ? [] : [to]), real],
      top: topmostMissing(target),
      moved: isFree ? moved : undefined,
      isFree,
      isLost: to !== undefined && leaf === null,
    };
  });
  if (places.length === 0) return undefined;
  return {
    tops: places.flatMap(({ top, isFree }) => (isFree ? top : [])),
    moved: places.find(({ moved }) => moved)?.moved,
    locked: places.flatMap(({ paths, top }) => [...paths, top]),
    problem: places.some(({ isLost }) => isLost) ? "what it moves was not there when it began" : undefined,
  };
}

/** The real path of an entry. A link at its end is not followed. */
function entryPath(absolute: string): string {
  return path.join(realPath(path.dirname(absolute)), path.basename(absolute));
}

/** The path, or the topmost folder above it that is missing. */
function topmostMissing(real: string): string {
  const folder = path.dirname(real);
  return readLeaf(folder) === null ? topmostMissing(folder) : real;
}
