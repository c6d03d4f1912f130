import { chmodSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import path from "node:path";
import { type Store, ToolError } from "@toolpacks/core";
import { isInside, openFound, renameEntry, type RootEntry, writeAtomically } from "@toolpacks/files";
import { isKept, readContent } from "./contents.ts";
import { pathsOf, type Entry, type KeptEntry, type Move } from "./entry.ts";
import { beginFiles, runFiles } from "./keep-files.ts";
import { type FileChange, isSame, type Leaf, overlap, readLeaf } from "./leaf.ts";
import type { OpenUndo } from "./open-undo.ts";
import type { Selected, UndoPart } from "./history.ts";
import { planFiles, type PlannedChange, type PlannedFiles } from "./planned-files.ts";

/** Larger files are only named in a diff. */
const maxDiffBytes = 1_000_000;

/** Takes back changes of files, and moves. */
export function createFileUndo(selected: Selected): UndoPart {
  const { log, show } = selected.opened;
  let planned = planFiles(log.maxFileBytes);
  return {
    has: ({ files }) => files !== undefined,
    async plan(entry) {
      const { move, files, planned: later } = await planUndo(entry, planned, selected);
      for (const place of pathsOf({ files, moved: move })) selected.opened.requireChangeable(place);
      planned = later;
    },
    undo: (entry, own) => undoFiles(entry, own, selected),
    async diff() {
      const moves = planned.moves.map(({ from, to }) => `${show(from)}: moved to ${show(to)}`);
      return [...moves, ...(await Array.fromAsync(planned.changes(), (one) => diffOf(one, selected.opened))).flat()];
    },
  };
}

/**
 * Plans to take back what of the files of an entry is not taken back yet.
 *
 * @returns the move and the changes to take back, and the files as they would be then
 * @throws ToolError `conflict` where a path is neither as before the call nor as the call left it, or the old content is lost
 */
async function planUndo(entry: KeptEntry, planned: PlannedFiles, selected: Selected) {
  const { log, show } = selected.opened;
  const { history } = selected;
  const conflict = (place: string, problem: string) => new ToolError("conflict", `${show(place)}: ${problem}`);
  const move = openMove(entry, planned, selected);
  // What stood where a move that is done has led went away before it.
  const doneAt = move === undefined ? entry.moved?.from : undefined;
  const changes = (entry.files ?? []).filter((one) => doneAt === undefined || !isInside(doneAt, one.path));
  // What stands where the move leads goes away before it. All else may stand where the move begins, and comes after it.
  const isMoveFirst = move !== undefined && !changes.some((one) => overlap([one.path], [move.to]));
  const start = isMoveFirst ? planned.move(move) : planned;
  const files = changes
    .filter((one) => !start.isAt(one.path, one.before))
    .map((one) => ({ ...one, now: start.at(one.path) }));
  const restored = start.before(files);
  if (move !== undefined) {
    const unmoved = planned.before(files);
    const there = planned.at(move.from);
    const isOthers = there?.type === "folder" && !history.hasMade(there.inode);
    if (isOthers || !planned.isAt(move.from, move.leaf)) throw conflict(move.from, "it was changed since");
    if (unmoved.at(move.to) !== null) throw conflict(move.to, "something else is there");
    if (unmoved.at(path.dirname(move.to))?.type !== "folder") throw conflict(move.to, "its folder is gone");
  }
  for (const { path: place, before, after = null, now } of files) {
    // A killed undo may have removed an entry in order to make one of another type, or made a folder without its mode.
    const isHalf =
      history.halves(entry.id).length > 0 &&
      before !== null &&
      before.type !== after?.type &&
      (now === null || isFolder(before, now));
    if (!isHalf && !start.isAt(place, after)) throw conflict(place, "it was changed since");
    if (before?.type === "file" && !(await isKept(log.local, before.content)))
      throw conflict(place, "its old content is not kept");
    if (before !== null && !isFolder(restored.at(path.dirname(place)))) throw conflict(place, "its folder is gone");
    if (!isFolder(before) && isFolder(now) && restored.inside(place).length > 0)
      throw conflict(place, "there is something else in it");
  }
  return { move, files, isMoveFirst, planned: move === undefined || isMoveFirst ? restored : restored.move(move) };
}

function isFolder(...leaves: readonly (Leaf | null)[]): boolean {
  return leaves.every((leaf) => leaf?.type === "folder");
}

/** The move back. Undefined: it was done, as by an undo that was killed. */
function openMove({ id, moved }: KeptEntry, planned: PlannedFiles, { history }: Selected): Move | undefined {
  if (moved === undefined) return undefined;
  const { from, to, leaf } = moved;
  const there = planned.at(from);
  const moves = [leaf, ...history.halves(id).flatMap((half) => half.moved?.leaf ?? [])];
  const isBack = moves.some(({ inode }) => inode === there?.inode) && planned.isAt(from, leaf);
  return isBack && planned.at(to)?.inode !== there?.inode ? undefined : { from: to, to: from, leaf };
}

/** Takes back the files of one entry. Returns why that cannot be taken back. @throws ToolError as `planUndo`, if they were changed since they were checked */
async function undoFiles(entry: KeptEntry, own: Entry, selected: Selected) {
  const { opened, context, requireNewest } = selected;
  const { log } = opened;
  const noPlans = () => planFiles(log.maxFileBytes);
  const tops = (entry.files ?? []).map((one) => one.path);
  const find = async (inside: Store) => {
    await requireNewest(entry, inside);
    context.signal.throwIfAborted();
    const halves = selected.history.halves(entry.id);
    return { tops, moved: openMove(entry, noPlans(), selected), locked: pathsOf(entry), halves };
  };
  const kept = await beginFiles(log, own, find);
  if (kept === undefined) return undefined;
  const { problem } = await runFiles(log, kept, async () => {
    const { move, files, isMoveFirst } = await planUndo(entry, noPlans(), selected);
    const moveBack = async () => move && rename(move, opened);
    if (isMoveFirst) await moveBack();
    await restoreAll(files, opened);
    if (!isMoveFirst) await moveBack();
  });
  // If this process is killed, the next undo goes on after this entry.
  await log.flush();
  return problem;
}

async function restoreAll(changes: readonly (FileChange & { now: Leaf | null })[], opened: OpenUndo): Promise<void> {
  const shallowFirst = changes.toSorted((one, other) => one.path.length - other.path.length);
  const left = new Map(changes.map((one) => [one.path, one.now]));
  /** Another program may change a path while others are taken back. */
  const requireLeft = (place: string): Leaf | null => {
    const now = readLeaf(place);
    if (isSame(now, left.get(place) ?? null)) return now;
    throw new ToolError("conflict", `${opened.show(place)}: it was changed meanwhile`);
  };
  for (const { path: place, before } of shallowFirst.toReversed()) {
    const now = requireLeft(place);
    if (now === null || now.type === before?.type) continue;
    await inPlace(place, opened, async (entry) => {
      requireLeft(place);
      (now.type === "folder" ? rmdirSync : unlinkSync)(entry.path);
      await entry.directory.sync();
    });
    left.set(place, null);
  }
  for (const { path: place, before } of shallowFirst)
    if (before !== null)
      await inPlace(place, opened, async (entry) =>
        restore(entry, before, { opened, check: () => requireLeft(place) }),
      );
  // Modes come last, since a read-only folder cannot be filled.
  for (const { path: place, before } of shallowFirst.toReversed())
    if (before?.type === "folder") await inPlace(place, opened, async (entry) => chmodSync(entry.path, before.mode));
}

async function rename({ from, to }: Move, opened: OpenUndo): Promise<void> {
  const replacing = { ...opened, access: "replace" } as const;
  await inPlace(from, replacing, (source) =>
    inPlace(to, replacing, async (target) => {
      if (readLeaf(to) !== null) throw new ToolError("conflict", `${target.shown}: something else is there`);
      await renameEntry(source.path, target.path);
      await Promise.all([source.directory.sync(), target.directory.sync()]);
    }),
  );
}

interface RestoreOptions {
  readonly opened: OpenUndo;
  /** Called before the change. @returns what is there. @throws ToolError if that was changed */
  readonly check: () => Leaf | null;
}

async function restore(entry: RootEntry, leaf: Leaf, { opened, check }: RestoreOptions): Promise<void> {
  const isThere = check() !== null;
  if (leaf.type === "folder") {
    if (!isThere) mkdirSync(entry.path);
  } else if (leaf.type === "link") {
    if (isThere) unlinkSync(entry.path);
    symlinkSync(leaf.target, entry.path);
  } else {
    const content = await readContent(opened.log.local, leaf.content);
    if (content === undefined) throw new ToolError("conflict", `${entry.shown}: its old content is not kept`);
    await writeAtomically(entry, content, { mode: leaf.mode, confirm: async () => void check(), overwrite: isThere });
  }
}

interface Access extends Pick<OpenUndo, "change"> {
  readonly access?: "replace";
}

/** Opens an entry at its real path. @throws ToolError as `change`, and `conflict` if a link leads elsewhere */
async function inPlace(
  place: string,
  { change, access }: Access,
  use: (entry: RootEntry) => Promise<void>,
): Promise<void> {
  const useReal = async (entry: RootEntry) => {
    if (path.join(entry.directory.real, entry.name) === place && !entry.isRoot) return use(entry);
    throw new ToolError("conflict", `${entry.shown}: a link stands where a folder was`);
  };
  return change(place, useReal, access);
}

/** What a planned change is, as a unified diff. */
async function diffOf({ path: place, real, later }: PlannedChange, { log, show }: OpenUndo): Promise<string[]> {
  const { unifiedDiff } = await import("@toolpacks/files/unified-diff");
  const [name, now] = [show(place), readLeaf(real)];
  if (isSame(now, later)) return [];
  const parts =
    now?.type === later?.type ? [] : [`${name}: ${now?.type ?? "nothing"}, then ${later?.type ?? "nothing"}`];
  if ([now, later].some((leaf) => leaf?.type === "file" && leaf.size > maxDiffBytes))
    return [...parts, `${name}: a large file changes`];
  const before = (now?.type === "file" && openFound(real, (file) => readFileSync(file, "utf8"))) || "";
  const after = later?.type === "file" ? String((await readContent(log.local, later.content)) ?? "") : "";
  if ((before + after).includes("\0")) return [...parts, `${name}: a binary file changes`];
  return before === after ? parts : [...parts, unifiedDiff(name, before, after).diff];
}
