import { chmodSync, lstatSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import { isInside, renameEntry, type RootEntry, type Roots, writeAtomically } from "@toolpacks/files";
import { isKept, readContent } from "./contents.ts";
import { hasFileChanges, pathsOf, type Entry, type KeptEntry, type Move } from "./entry.ts";
import { hasMoved } from "./unended-calls.ts";
import { changesBetween, type FileChange, type Leaf, leavesAt, readLeaf, withContent } from "./leaf.ts";
import { planFiles, type PlannedFiles } from "./planned-files.ts";
import { busy, inTurn } from "./turns.ts";
import type { UndoLog } from "./undo-log.ts";

/** What of an entry is not taken back yet. */
interface OpenChanges {
  /** The move that takes back the move of the call. */
  readonly move: Move | undefined;
  readonly files: readonly FileChange[];
}

interface FileUndo {
  readonly log: UndoLog;
  /** The path by which a caller knows a real path. */
  readonly show: (real: string) => string;
}

/**
 * Plans to take back the files of an entry.
 *
 * @throws ToolError `conflict` where a path is neither as before the call nor as the call left it, or the old content is lost
 */
export async function planUndo(entry: Entry, planned: PlannedFiles, { log, show }: FileUndo): Promise<OpenChanges> {
  const conflict = (place: string, problem: string) => new ToolError("conflict", `${show(place)}: ${problem}`);
  const isFolder = (place: string) => planned.at(place)?.type === "folder";
  const move = openMove(entry.moved, planned);
  const checkMove = ({ from, to, leaf }: Move, targets: ReadonlyMap<string, Leaf | null>) => {
    if (!planned.isAt(from, leaf)) throw conflict(from, "it was changed since");
    if ((targets.has(to) ? targets.get(to) : planned.at(to)) !== null) throw conflict(to, "something else is there");
    if (!isFolder(path.dirname(to))) throw conflict(to, "its folder is gone");
  };
  const problemOf = async ({ path: place, before, after }: FileChange, targets: ReadonlyMap<string, Leaf | null>) => {
    // A killed undo may have removed an entry in order to make one of another type.
    const isHalf = before !== null && planned.at(place) === null && before.type !== after?.type;
    if (!isHalf && !planned.isAt(place, after ?? null)) return "it was changed since";
    if (before?.type === "file" && !(await isKept(log.local, before.content))) return "its old content is not kept";
    const folder = path.dirname(place);
    if (before !== null && !isFolder(folder) && targets.get(folder)?.type !== "folder") return "its folder is gone";
    if (before?.type === "folder" || !isFolder(place)) return undefined;
    return planned.inside(place).some((one) => !targets.has(one)) ? "there is something else in it" : undefined;
  };
  const openFiles = async (moveAfter: Move | undefined) => {
    const open = (entry.files ?? []).filter((change) => !planned.isAt(change.path, change.before));
    const targets = new Map(open.map((change) => [change.path, change.before]));
    for (const change of open) {
      const problem = await problemOf(change, targets);
      if (problem !== undefined) throw conflict(change.path, problem);
    }
    if (moveAfter !== undefined) checkMove(moveAfter, targets);
    planned.set(open);
    if (moveAfter !== undefined) planned.move(moveAfter);
    return open;
  };
  if (move === undefined || entry.isMoveFirst === true) return { move, files: await openFiles(move) };
  checkMove(move, new Map());
  planned.move(move);
  try {
    return { move, files: await openFiles(undefined) };
  } catch (error) {
    planned.unmove();
    throw error;
  }
}

/** The move back. Undefined: it was done. */
function openMove(moved: Move | undefined, planned: PlannedFiles): Move | undefined {
  if (moved === undefined) return undefined;
  const { from, to, leaf } = moved;
  return planned.isAt(from, leaf) && !planned.isAt(to, leaf) ? undefined : { from: to, to: from, leaf };
}

/** Takes back the files of one entry. @throws ToolError `conflict` if they were changed since they were checked, `denied` for protected paths */
export async function undoFiles(
  entry: KeptEntry,
  own: Entry,
  { roots, ...options }: FileUndo & { readonly roots: Roots },
): Promise<void> {
  const { log } = options;
  await inTurn(
    () => pathsOf(entry),
    async () => {
      const { move, files } = await planUndo(entry, planFiles(log.maxFileBytes), options);
      return makeUndo({ entry, move, files }, own, { log, roots });
    },
  );
}

async function makeUndo(
  { entry, move, files }: OpenChanges & { readonly entry: KeptEntry },
  own: Entry,
  { log, roots }: Restoring,
): Promise<typeof busy | void> {
  const { maxFileBytes } = log;
  const isMoveFirst = entry.isMoveFirst !== true;
  /** What stands at the paths that it restores, without what it moves. */
  const leaves = (moving: string | undefined) =>
    leavesAt(
      files
        .filter(({ path: place }) => moving === undefined || !isInside(moving, place))
        .map(({ path: place }) => [place, withContent(place, readLeaf(place), maxFileBytes)]),
    );
  const undoing = { ...own, undoes: entry.id, isMoveFirst };
  let before = new Map<string, Leaf>();
  const kept = await log.begin(() => {
    before = leaves(isMoveFirst ? move?.from : undefined);
    const changing = files.map(({ path: place }) => ({ path: place, before: before.get(place) ?? null }));
    // It may be another file than the call has moved, with the same content.
    const leaf = move && withContent(move.from, readLeaf(move.from), maxFileBytes);
    const moved = move && { ...move, leaf: leaf ?? move.leaf };
    return { entry: { ...undoing, files: changing, moved }, paths: pathsOf(entry) };
  });
  if (kept === undefined) return busy;
  let isWhole = false;
  try {
    if (isMoveFirst && move !== undefined) await rename(move, roots);
    await restoreAll(files, { log, roots });
    if (!isMoveFirst && move !== undefined) await rename(move, roots);
    isWhole = true;
  } finally {
    const moved = kept.moved && hasMoved(kept.moved) ? kept.moved : undefined;
    const changed = changesBetween(before, leaves(isMoveFirst ? undefined : moved?.to), maxFileBytes);
    const done = { ...undoing, files: changed, moved, isPartial: !isWhole };
    log.end(kept, isWhole || hasFileChanges(done) ? done : undefined);
    // If this process is killed, the next undo goes on after this entry.
    await log.flush();
  }
}

interface Restoring {
  readonly log: UndoLog;
  readonly roots: Roots;
}

async function restoreAll(changes: readonly FileChange[], { log, roots }: Restoring): Promise<void> {
  const shallowFirst = changes.toSorted((one, other) => one.path.length - other.path.length);
  for (const { path: place, before } of shallowFirst.toReversed())
    if (before?.type !== readLeaf(place)?.type) await remove(place, roots);
  for (const { path: place, before } of shallowFirst) if (before !== null) await restore(place, before, { log, roots });
  // Modes come last, since a read-only folder cannot be filled.
  for (const { path: place, before } of changes)
    if (before?.type === "folder")
      await inPlace([roots, place, "write"], async ({ path: at }) => chmodSync(at, before.mode));
}

async function rename({ from, to }: Move, roots: Roots): Promise<void> {
  await inPlace([roots, from, "replace"], (source) =>
    inPlace([roots, to, "write"], async (target) => {
      await renameEntry(source.path, target.path);
      await Promise.all([source.directory.sync(), target.directory.sync()]);
    }),
  );
}

/** Removes a file, a link or an empty folder. */
async function remove(place: string, roots: Roots): Promise<void> {
  if (readLeaf(place) === null) return;
  await inPlace([roots, place, "replace"], async ({ path: at, directory }) => {
    if (lstatSync(at).isDirectory()) rmdirSync(at);
    else unlinkSync(at);
    await directory.sync();
  });
}

async function restore(place: string, leaf: Leaf, { log, roots }: Restoring): Promise<void> {
  const content = leaf.type === "file" ? await readContent(log.local, leaf.content) : undefined;
  await inPlace([roots, place, leaf.type === "link" ? "replace" : "write"], async (entry) => {
    const now = readLeaf(place);
    if (leaf.type === "file") {
      if (content === undefined) throw new ToolError("conflict", `${entry.shown}: its old content is not kept`);
      return writeAtomically(entry, content, { mode: leaf.mode });
    }
    if (leaf.type === "link") {
      if (now !== null) unlinkSync(entry.path);
      return symlinkSync(leaf.target, entry.path);
    }
    if (now === null) mkdirSync(entry.path);
  });
}

/** Opens an entry at its real path. @throws ToolError `denied` for a protected path and one out of the roots, `conflict` if a link leads elsewhere */
async function inPlace(
  [roots, place, access]: readonly [Roots, string, "write" | "replace"],
  use: (entry: RootEntry) => Promise<void>,
) {
  const check = async (entry: RootEntry) => {
    if (path.join(entry.directory.real, entry.name) === place && !entry.isRoot) return use(entry);
    throw new ToolError("conflict", `${entry.shown}: a link stands where a folder was`);
  };
  return roots.at(place, check, { follow: false, access });
}
