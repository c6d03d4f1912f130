import { chmodSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import path from "node:path";
import { type Store, ToolError } from "@toolpacks/core";
import { renameEntry, type RootEntry, type Roots, writeAtomically } from "@toolpacks/files";
import { isKept, readContent } from "./contents.ts";
import { type Entry, type KeptEntry, type Move } from "./entry.ts";
import { beginFiles, runFiles } from "./keep-files.ts";
import { type FileChange, type Leaf, overlap, readLeaf } from "./leaf.ts";
import type { OpenUndo } from "./open-undo.ts";
import { planFiles, type PlannedFiles } from "./planned-files.ts";

type UndoPlaces = Pick<OpenUndo, "log" | "show"> & { readonly roots: Roots };

interface UndoFilesOptions extends UndoPlaces {
  /** @throws ToolError `conflict` if another call has changed the same since the plan */
  readonly checkAgain: (entry: KeptEntry, local: Store) => Promise<void>;
}

/**
 * Plans to take back what of the files of an entry is not taken back yet.
 *
 * @returns the move and the changes to take back, and the files as they would be then
 * @throws ToolError `conflict` where a path is neither as before the call nor as the call left it, or the old content is lost; `denied` for protected paths
 */
export async function planUndo(entry: Entry, planned: PlannedFiles, { log, roots, show }: UndoPlaces) {
  const conflict = (place: string, problem: string) => new ToolError("conflict", `${show(place)}: ${problem}`);
  const changes = entry.files ?? [];
  const move = openMove(entry.moved, planned);
  // What stands where the move leads goes away before it. All else may stand where the move begins, and comes after it.
  const isMoveFirst = move !== undefined && !changes.some((change) => overlap([change.path], [move.to]));
  const afterMove = () => planFiles(log.maxFileBytes, [...planned.layers, { move, leaves: new Map() }]);
  const start = isMoveFirst ? afterMove() : planned;
  const files = changes.filter((change) => !start.isAt(change.path, change.before));
  const targets = new Map(files.map((change) => [change.path, change.before]));
  const later = (place: string) => (targets.has(place) ? targets.get(place) : start.at(place));
  if (move !== undefined) {
    if (!planned.isAt(move.from, move.leaf)) throw conflict(move.from, "it was changed since");
    const there = isMoveFirst ? planned.at(move.to) : later(move.to);
    if (there !== null) throw conflict(move.to, "something else is there");
    if (later(path.dirname(move.to))?.type !== "folder") throw conflict(move.to, "its folder is gone");
  }
  const problemOf = async ({ path: place, before, after }: FileChange) => {
    const now = start.at(place);
    // A killed undo may have removed an entry in order to make one of another type, or made a folder without its mode.
    const isHalf =
      before !== null &&
      before.type !== after?.type &&
      (now === null || (before.type === "folder" && now.type === "folder"));
    if (!isHalf && !start.isAt(place, after ?? null)) return "it was changed since";
    if (before?.type === "file" && !(await isKept(log.local, before.content))) return "its old content is not kept";
    if (before !== null && later(path.dirname(place))?.type !== "folder") return "its folder is gone";
    if (before?.type === "folder" || now?.type !== "folder") return undefined;
    return start.inside(place).some((one) => !targets.has(one)) ? "there is something else in it" : undefined;
  };
  for (const change of files) {
    const problem = await problemOf(change);
    if (problem !== undefined) throw conflict(change.path, problem);
  }
  for (const place of [...targets.keys(), ...(move === undefined ? [] : [move.to])])
    await roots
      .at(place, async () => {}, { follow: false, access: "replace" })
      .catch((error: unknown) => {
        // A folder may be missing until a newer change is taken back.
        if (!ToolError.is(error) || error.code !== "not_found") throw error;
      });
  start.set(files);
  return { move, files, isMoveFirst, planned: move === undefined || isMoveFirst ? start : afterMove() };
}

/** The move back. Undefined: it was done. */
function openMove(moved: Move | undefined, planned: PlannedFiles): Move | undefined {
  if (moved === undefined || (planned.isAt(moved.from, moved.leaf) && !planned.isAt(moved.to, moved.leaf)))
    return undefined;
  return { from: moved.to, to: moved.from, leaf: moved.leaf };
}

/** Takes back the files of one entry. Returns why that cannot be taken back. @throws ToolError as `planUndo`, if they were changed since they were checked */
export async function undoFiles(entry: KeptEntry, own: Entry, options: UndoFilesOptions) {
  const { log, roots, checkAgain } = options;
  const noPlans = () => planFiles(log.maxFileBytes);
  const tops = (entry.files ?? []).map((change) => change.path);
  const find = async (inside: Store) => {
    await checkAgain(entry, inside);
    return { tops, moved: openMove(entry.moved, noPlans()), locked: tops };
  };
  const kept = await beginFiles(find, { log, entry: { ...own, undoes: entry.id } });
  if (kept === undefined) return undefined;
  const { problem } = await runFiles(log, kept, async () => {
    const { move, files, isMoveFirst } = await planUndo(entry, noPlans(), options);
    if (move !== undefined && isMoveFirst) await rename(move, roots);
    await restoreAll(files, options);
    if (move !== undefined && !isMoveFirst) await rename(move, roots);
  });
  // If this process is killed, the next undo goes on after this entry.
  await log.flush();
  return problem;
}

async function restoreAll(changes: readonly FileChange[], { log, roots }: UndoPlaces): Promise<void> {
  const shallowFirst = changes.toSorted((one, other) => one.path.length - other.path.length);
  for (const { path: place, before } of shallowFirst.toReversed()) {
    const now = readLeaf(place);
    if (now !== null && now.type !== before?.type) await inPlace(place, roots, (entry) => remove(entry, now));
  }
  for (const { path: place, before } of shallowFirst) {
    if (before === null) continue;
    const content = before.type === "file" ? await readContent(log.local, before.content) : undefined;
    await inPlace(place, roots, (entry) => restore(entry, before, content));
  }
  // Modes come last, since a read-only folder cannot be filled.
  for (const { path: place, before } of shallowFirst.toReversed())
    if (before?.type === "folder") await inPlace(place, roots, async (entry) => chmodSync(entry.path, before.mode));
}

async function rename({ from, to }: Move, roots: Roots): Promise<void> {
  await inPlace(from, roots, (source) =>
    inPlace(to, roots, async (target) => {
      await renameEntry(source.path, target.path);
      await Promise.all([source.directory.sync(), target.directory.sync()]);
    }),
  );
}

/** Removes a file, a link or an empty folder. */
async function remove({ path: at, directory }: RootEntry, { type }: Leaf): Promise<void> {
  if (type === "folder") rmdirSync(at);
  else unlinkSync(at);
  await directory.sync();
}

async function restore(entry: RootEntry, leaf: Leaf, content: Buffer | undefined): Promise<void> {
  const now = readLeaf(entry.path);
  if (leaf.type === "file") {
    if (content === undefined) throw new ToolError("conflict", `${entry.shown}: its old content is not kept`);
    await writeAtomically(entry, content, { mode: leaf.mode });
  } else if (leaf.type === "link") {
    if (now !== null) unlinkSync(entry.path);
    symlinkSync(leaf.target, entry.path);
  } else if (now === null) mkdirSync(entry.path);
}

/** Opens an entry at its real path. @throws ToolError `denied` for a protected path and one out of the roots, `conflict` if a link leads elsewhere */
async function inPlace(place: string, roots: Roots, use: (entry: RootEntry) => Promise<void>): Promise<void> {
  const check = async (entry: RootEntry) => {
    if (path.join(entry.directory.real, entry.name) === place && !entry.isRoot) return use(entry);
    throw new ToolError("conflict", `${entry.shown}: a link stands where a folder was`);
  };
  return roots.at(place, check, { follow: false, access: "replace" });
}
