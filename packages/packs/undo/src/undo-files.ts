import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import { hasCode, openFound, renameToFreeName, type RootEntry, type Roots, writeAtomically } from "@toolpacks/files";
import type { Entry, FileChange, KeptEntry } from "./entry.ts";
import type { Images } from "./images.ts";
import { type Leaf, readLeaf } from "./leaf.ts";
import type { UndoLog } from "./undo-log.ts";

/** The entries at paths as they would be after changes that are not made. Other paths are as they are. */
export type Planned = Map<string, Leaf | null>;

/**
 * The changes of an entry that are not taken back yet.
 *
 * @throws ToolError `conflict` where a path is neither as before the call nor as the call left it, or the old content is lost
 */
export function openChanges({ files = [] }: Entry, planned: Planned, images: Images): readonly FileChange[] {
  const at = (place: string) => (planned.has(place) ? (planned.get(place) ?? null) : readLeaf(place));
  const isAt = (place: string, want: Leaf | null) => {
    const now = at(place);
    if (now?.type !== "file" || want?.type !== "file") return JSON.stringify(now) === JSON.stringify(want);
    if (now.version === want.version || now.mode !== want.mode || now.size !== want.size)
      return now.version === want.version && now.mode === want.mode;
    const here = planned.has(place) ? images.read(now) : openFound(place, (descriptor) => readFileSync(descriptor));
    return here !== undefined && images.read(want)?.equals(here) === true;
  };
  const open = files.filter(({ path: place, before }) => !isAt(place, before));
  const targets: Planned = new Map(open.map((change) => [change.path, change.before]));
  const left = new Set(files.flatMap(({ after }) => (after?.type === "file" ? [after.version] : [])));
  const problemOf = ({ path: place, before, after }: FileChange): string | undefined => {
    // A killed undo may have removed an entry in order to make one of another type.
    const isHalf = before !== null && at(place) === null && before.type !== after?.type;
    if (after !== undefined && !isHalf && !isAt(place, after)) return "it was changed since";
    if (before?.type === "file" && !left.has(before.version) && images.read(before) === undefined)
      return "its old content is not kept";
    const folder = path.dirname(place);
    if (before !== null && (targets.get(folder) ?? at(folder))?.type !== "folder") return "its folder is gone";
    if (before?.type === "folder" || at(place)?.type !== "folder") return undefined;
    const names = readLeaf(place)?.type === "folder" ? readdirSync(place).map((name) => path.join(place, name)) : [];
    const inside = [...names, ...planned.keys()].filter((one) => path.dirname(one) === place && !targets.has(one));
    return inside.some((one) => at(one) !== null) ? "there is something else in it" : undefined;
  };
  for (const change of open) {
    const problem = problemOf(change);
    if (problem !== undefined) throw new ToolError("conflict", `${change.path}: ${problem}`);
  }
  return open;
}

interface FileUndo {
  readonly log: UndoLog;
  readonly roots: Roots;
}

/** Takes back the files of one entry. @throws ToolError `conflict` if they were changed since they were checked, `denied` for protected paths */
export async function undoFiles(entry: KeptEntry, own: Entry, { log, roots }: FileUndo): Promise<void> {
  const open = openChanges(entry, new Map(), log.images);
  const files = open.map(({ path: place }) => ({ path: place, before: readLeaf(place) }));
  for (const { path: place, before } of files) if (before?.type === "file") log.images.keep(place, before);
  const undoes = [entry.id];
  const id = log.begin({ ...own, undoes, files });
  const shallowFirst = open.toSorted((one, other) => one.path.length - other.path.length);
  const deepFirst = shallowFirst.toReversed();
  /** Where the files are that the call has moved, by their versions. */
  const moved = new Map(
    files.flatMap(({ path: place, before }) => (before?.type === "file" ? [[before.version, place]] : [])),
  );
  const sources = new Set(open.map(({ before }) => before?.type === "file" && moved.get(before.version)));
  for (const { path: place, before } of deepFirst)
    if (!sources.has(place) && before?.type !== readLeaf(place)?.type) await remove(place, roots);
  for (const { path: place, before } of shallowFirst)
    if (before !== null)
      await restore(place, before, {
        roots,
        images: log.images,
        source: before.type === "file" ? moved.get(before.version) : undefined,
      });
  for (const { path: place, before } of deepFirst) if (before === null) await remove(place, roots);
  const at = new Date().toISOString();
  log.end(id, { ...own, at, undoes, files: files.map((change) => ({ ...change, after: readLeaf(change.path) })) });
}

/** Removes a file, a link or an empty folder. A folder that still holds what is moved out of it stays. */
async function remove(place: string, roots: Roots): Promise<void> {
  if (readLeaf(place) === null) return;
  await inPlace([roots, place, "replace"], async ({ path: at, directory }) => {
    try {
      if (lstatSync(at).isDirectory()) rmdirSync(at);
      else unlinkSync(at);
    } catch (error) {
      if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
    }
    await directory.sync();
  });
}

interface RestoreOptions {
  readonly roots: Roots;
  readonly images: Images;
  /** Where the file was moved to. */
  readonly source: string | undefined;
}

async function restore(place: string, leaf: Leaf, { roots, images, source }: RestoreOptions): Promise<void> {
  if (source !== undefined && readLeaf(place) === null) {
    const rename = (from: RootEntry) => inPlace([roots, place, "write"], (to) => renameToFreeName(from.path, to.path));
    return inPlace([roots, source, "replace"], rename);
  }
  await inPlace([roots, place, leaf.type === "link" ? "replace" : "write"], async (entry) => {
    const now = readLeaf(place);
    if (leaf.type === "file") return writeAtomically(entry, images.read(leaf) ?? "", { mode: leaf.mode });
    if (leaf.type === "link") {
      if (now !== null) unlinkSync(entry.path);
      return symlinkSync(leaf.target, entry.path);
    }
    if (now === null) mkdirSync(entry.path);
    chmodSync(entry.path, leaf.mode);
  });
}

/** Opens an entry at its real path. @throws ToolError `denied` for a protected path and one out of the roots, `conflict` if a link leads elsewhere */
type Access = "write" | "replace";

async function inPlace(
  [roots, place, access]: readonly [Roots, string, Access],
  use: (entry: RootEntry) => Promise<void>,
) {
  const check = async (entry: RootEntry) => {
    if (path.join(entry.directory.real, entry.name) === place && !entry.isRoot) return use(entry);
    throw new ToolError("conflict", `${entry.shown}: a link stands where a folder was`);
  };
  return roots.at(place, check, { follow: false, access });
}
