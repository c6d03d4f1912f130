import { chmodSync, lstatSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import { isInside, renameEntry, type RootEntry, type Roots, writeAtomically } from "@toolpacks/files";
import { isKept, readContent } from "./contents.ts";
import type { Entry, KeptEntry } from "./entry.ts";
import { changesBetween, type FileChange, isSame, type Leaf, leavesAt, readLeaf, withContent } from "./leaf.ts";
import type { UndoLog } from "./undo-log.ts";

/** The entries at paths as they would be after changes that are not made. Other paths are as they are. */
export type Planned = Map<string, Leaf | null>;

/**
 * The changes of an entry that are not taken back yet.
 *
 * @throws ToolError `conflict` where a path is neither as before the call nor as the call left it, or the old content is lost
 */
export async function openChanges(
  { files = [] }: Entry,
  planned: Planned,
  { local, maxFileBytes }: UndoLog,
): Promise<readonly FileChange[]> {
  const at = (place: string) => (planned.has(place) ? (planned.get(place) ?? null) : readLeaf(place));
  const isAt = (place: string, want: Leaf | null) => {
    const now = at(place);
    return isSame(now, want) || (!planned.has(place) && isSame(withContent(place, now, maxFileBytes), want));
  };
  const open = files.filter(({ path: place, before }) => !isAt(place, before));
  const targets: Planned = new Map(open.map((change) => [change.path, change.before]));
  const sources = movedFrom(open);
  const problemOf = async ({ path: place, before, after }: FileChange): Promise<string | undefined> => {
    // A killed undo may have removed an entry in order to make one of another type.
    const isHalf = before !== null && at(place) === null && before.type !== after?.type;
    if (!isHalf && !isAt(place, after ?? null)) return "it was changed since";
    if (before?.type === "file" && !sources.has(before.version) && !(await isKept(local, before.content)))
      return "its old content is not kept";
    const folder = path.dirname(place);
    if (before !== null && (targets.get(folder) ?? at(folder))?.type !== "folder") return "its folder is gone";
    if (before?.type === "folder" || at(place)?.type !== "folder") return undefined;
    const names = readLeaf(place)?.type === "folder" ? readdirSync(place).map((name) => path.join(place, name)) : [];
    const inside = [...names, ...planned.keys()].filter((one) => path.dirname(one) === place && !targets.has(one));
    return inside.some((one) => at(one) !== null) ? "there is something else in it" : undefined;
  };
  for (const change of open) {
    const problem = await problemOf(change);
    if (problem !== undefined) throw new ToolError("conflict", `${change.path}: ${problem}`);
  }
  return open;
}

/** Where the call has moved files to, by their versions. What took the place of a folder above it is restored from its content. */
function movedFrom(changes: readonly FileChange[]): ReadonlyMap<string, string> {
  const targets = new Map(
    changes.flatMap(({ path: place, before }) => (before?.type === "file" ? [[before.version, place] as const] : [])),
  );
  return new Map(
    changes.flatMap(({ path: place, after }) => {
      const target = after?.type === "file" ? targets.get(after.version) : undefined;
      const isMoved = after?.type === "file" && target !== undefined && !isInside(place, target);
      return isMoved ? [[after.version, place] as const] : [];
    }),
  );
}

interface FileUndo {
  readonly log: UndoLog;
  readonly roots: Roots;
}

/** Takes back the files of one entry. @throws ToolError `conflict` if they were changed since they were checked, `denied` for protected paths */
export async function undoFiles(entry: KeptEntry, own: Entry, { log, roots }: FileUndo): Promise<void> {
  const open = await openChanges(entry, new Map(), log);
  const sources = movedFrom(open);
  const moved = new Set(sources.values());
  const files = open.map(({ path: place }) => {
    const leaf = readLeaf(place);
    return { path: place, before: moved.has(place) ? leaf : withContent(place, leaf, log.maxFileBytes) };
  });
  const undoes = [entry.id];
  const id = await log.begin({ ...own, undoes, files });
  const shallowFirst = open.toSorted((one, other) => one.path.length - other.path.length);
  const removeOthers = async (kept: ReadonlySet<string>) => {
    for (const { path: place, before } of shallowFirst.toReversed())
      if (!kept.has(place) && before?.type !== readLeaf(place)?.type) await remove(place, roots, kept.size === 0);
  };
  // Folders of moved files stay until these are back.
  await removeOthers(moved);
  // What stood at the new places of moved files follows when these are back.
  const replaced = open.filter(({ path: place, before }) => before !== null && moved.has(place));
  const isLater = (place: string) => replaced.some((one) => isInside(one.path, place));
  for (const { path: place, before } of shallowFirst.toSorted(
    (one, other) => Number(isLater(one.path)) - Number(isLater(other.path)),
  )) {
    const source = before?.type === "file" ? sources.get(before.version) : undefined;
    if (source !== undefined) await move(source, place, roots);
    else if (before !== null) await restore(place, before, { log, roots });
  }
  if (moved.size > 0) await removeOthers(new Set());
  const left = leavesAt(open.map(({ path: place }) => [place, readLeaf(place)]));
  const changed = changesBetween(leavesAt(files.map((one) => [one.path, one.before])), left, log.maxFileBytes);
  log.end(id, { ...own, at: new Date().toISOString(), undoes, files: changed });
}

/** Removes a file, a link or an empty folder. @param isLast whether a folder must be empty */
async function remove(place: string, roots: Roots, isLast: boolean): Promise<void> {
  if (readLeaf(place) === null) return;
  await inPlace([roots, place, "replace"], async ({ path: at, directory }) => {
    if (!lstatSync(at).isDirectory()) unlinkSync(at);
    else if (isLast || readdirSync(at).length === 0) rmdirSync(at);
    await directory.sync();
  });
}

async function move(from: string, to: string, roots: Roots): Promise<void> {
  await inPlace([roots, from, "replace"], (source) =>
    inPlace([roots, to, "write"], async (target) => {
      await renameEntry(source.path, target.path);
      await Promise.all([source.directory.sync(), target.directory.sync()]);
    }),
  );
}

async function restore(place: string, leaf: Leaf, { log, roots }: FileUndo): Promise<void> {
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
    chmodSync(entry.path, leaf.mode);
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
