import { chmodSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import path from "node:path";
import { type Store, ToolError } from "@toolpacks/core";
import { openFound, renameEntry, type RootEntry, type Roots, writeAtomically } from "@toolpacks/files";
import { isKept, readContent } from "./contents.ts";
import type { Entry, KeptEntry, Move } from "./entry.ts";
import { beginFiles, runFiles } from "./keep-files.ts";
import { type FileChange, isSame, type Leaf, overlap, readLeaf } from "./leaf.ts";
import type { OpenUndo } from "./open-undo.ts";
import type { Selected, UndoPart } from "./select-entries.ts";
import type { UndoLog } from "./undo-log.ts";
import { planFiles, type PlannedChange, type PlannedFiles } from "./planned-files.ts";

/** Larger files are only named in a diff. */
const maxDiffBytes = 1_000_000;

interface FilePlaces extends Selected {
  readonly roots: Roots;
}

/** Takes back changes of files, and moves. */
export function createFileUndo(options: Selected): UndoPart {
  const { log, roots, show } = options.opened;
  let planned = planFiles(log.maxFileBytes);
  const places = () => {
    if (roots === undefined) throw new ToolError("denied", "this server has no roots");
    return { ...options, roots };
  };
  return {
    has: ({ files }) => files !== undefined,
    plan: async (entry) => void ({ planned } = await planUndo(entry, planned, places())),
    undo: (entry, own) => undoFiles(entry, own, places()),
    async diff() {
      const moves = planned.moves.map(({ from, to }) => `${show(from)}: moved to ${show(to)}`);
      return [...moves, ...(await Array.fromAsync(planned.changes(), (one) => diffOf(one, options.opened))).flat()];
    },
  };
}

/**
 * Plans to take back what of the files of an entry is not taken back yet.
 *
 * @returns the move and the changes to take back, and the files as they would be then
 * @throws ToolError `conflict` where a path is neither as before the call nor as the call left it, or the old content is lost; `denied` for protected paths
 */
async function planUndo(entry: Entry, planned: PlannedFiles, { opened: { log, show }, roots }: FilePlaces) {
  const conflict = (place: string, problem: string) => new ToolError("conflict", `${show(place)}: ${problem}`);
  const changes = entry.files ?? [];
  const move = openMove(entry.moved, planned);
  // What stands where the move leads goes away before it. All else may stand where the move begins, and comes after it.
  const isMoveFirst = move !== undefined && !changes.some((change) => overlap([change.path], [move.to]));
  const start = isMoveFirst ? planned.move(move) : planned;
  const files = changes.filter((change) => !start.isAt(change.path, change.before));
  const restored = start.before(files);
  if (move !== undefined) {
    const unmoved = planned.before(files);
    if (!planned.isAt(move.from, move.leaf)) throw conflict(move.from, "it was changed since");
    if (unmoved.at(move.to) !== null) throw conflict(move.to, "something else is there");
    if (unmoved.at(path.dirname(move.to))?.type !== "folder") throw conflict(move.to, "its folder is gone");
  }
  for (const { path: place, before, after = null } of files) {
    const now = start.at(place);
    // A killed undo may have removed an entry in order to make one of another type, or made a folder without its mode.
    const isHalf = before !== null && before.type !== after?.type && (now === null || isFolder(before, now));
    if (!isHalf && !start.isAt(place, after)) throw conflict(place, "it was changed since");
    if (before?.type === "file" && !(await isKept(log.local, before.content)))
      throw conflict(place, "its old content is not kept");
    if (before !== null && !isFolder(restored.at(path.dirname(place)))) throw conflict(place, "its folder is gone");
    if (!isFolder(before) && isFolder(now) && restored.inside(place).length > 0)
      throw conflict(place, "there is something else in it");
  }
  for (const place of [...files.map((change) => change.path), ...(move === undefined ? [] : [move.to])])
    await roots
      .at(place, async () => {}, { follow: false, access: "replace" })
      .catch((error: unknown) => {
        // A folder may be missing until a newer change is taken back.
        if (!ToolError.is(error) || error.code !== "not_found") throw error;
      });
  return { move, files, isMoveFirst, planned: move === undefined || isMoveFirst ? restored : restored.move(move) };
}

function isFolder(...leaves: readonly (Leaf | null)[]): boolean {
  return leaves.every((leaf) => leaf?.type === "folder");
}

/** The move back. Undefined: it was done. */
function openMove(moved: Move | undefined, planned: PlannedFiles): Move | undefined {
  if (moved === undefined || (planned.isAt(moved.from, moved.leaf) && !planned.isAt(moved.to, moved.leaf)))
    return undefined;
  return { from: moved.to, to: moved.from, leaf: moved.leaf };
}

/** Takes back the files of one entry. Returns why that cannot be taken back. @throws ToolError as `planUndo`, if they were changed since they were checked */
async function undoFiles(entry: KeptEntry, own: Entry, places: FilePlaces) {
  const { opened, roots, requireNewest } = places;
  const { log } = opened;
  const noPlans = () => planFiles(log.maxFileBytes);
  const tops = (entry.files ?? []).map((change) => change.path);
  const find = async (inside: Store) => {
    await requireNewest(entry, inside);
    return { tops, moved: openMove(entry.moved, noPlans()), locked: tops };
  };
  const kept = await beginFiles(log, { ...own, undoes: entry.id }, find);
  if (kept === undefined) return undefined;
  const { problem } = await runFiles(log, kept, async () => {
    const { move, files, isMoveFirst } = await planUndo(entry, noPlans(), places);
    if (move !== undefined && isMoveFirst) await rename(move, roots);
    await restoreAll(files, log, roots);
    if (move !== undefined && !isMoveFirst) await rename(move, roots);
  });
  // If this process is killed, the next undo goes on after this entry.
  await log.flush();
  return problem;
}

async function restoreAll(changes: readonly FileChange[], log: UndoLog, roots: Roots): Promise<void> {
  const shallowFirst = changes.toSorted((one, other) => one.path.length - other.path.length);
  for (const { path: place, before } of shallowFirst.toReversed()) {
    const now = readLeaf(place);
    if (now === null || now.type === before?.type) continue;
    await inPlace(place, roots, async (entry) => {
      (now.type === "folder" ? rmdirSync : unlinkSync)(entry.path);
      await entry.directory.sync();
    });
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
