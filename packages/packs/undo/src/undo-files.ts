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
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "@toolpacks/core";
import { openFound, type RootEntry, type Roots, writeAtomically } from "@toolpacks/files";
import type { Entry, KeptEntry } from "./entry.ts";
import type { Images } from "./images.ts";
import { type FileChange, type Leaf, readLeaf } from "./leaf.ts";
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
    if (now?.type !== "file" || want?.type !== "file") return isDeepStrictEqual(now, want);
    if (now.version === want.version || now.mode !== want.mode || now.size !== want.size)
      return now.version === want.version && now.mode === want.mode;
    const [image, kept] = [planned.has(place) ? images.find(now) : place, images.find(want)];
    if (image === undefined || kept === undefined) return false;
    return openFound(image, (file) => readFileSync(file).equals(readFileSync(kept))) === true;
  };
  const open = files.filter(({ path: place, before }) => !isAt(place, before));
  const targets: Planned = new Map(open.map((change) => [change.path, change.before]));
  const left = new Set(files.flatMap(({ after }) => (after?.type === "file" ? [after.version] : [])));
  const problemOf = ({ path: place, before, after }: FileChange): string | undefined => {
    // A killed undo may have removed an entry in order to make one of another type.
    const isHalf = before !== null && at(place) === null && before.type !== after?.type;
    if (!isHalf && !isAt(place, after ?? null)) return "it was changed since";
    if (before?.type === "file" && !left.has(before.version) && images.find(before) === undefined)
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
  const { images } = log;
  const open = openChanges(entry, new Map(), images);
  const wanted = new Set(open.map(({ before }) => before?.type === "file" && before.version));
  const files = open.map(({ path: place }) => ({ path: place, before: readLeaf(place) }));
  // Moved files are kept whatever their size.
  for (const { path: place, before } of files)
    if (before?.type === "file") images.keep(place, before, wanted.has(before.version) ? Infinity : undefined);
  const lost = open.find(({ before }) => before?.type === "file" && images.find(before) === undefined);
  if (lost !== undefined) throw new ToolError("conflict", `${lost.path}: its old content is not kept`);
  const undoes = [entry.id];
  const id = log.begin({ ...own, undoes, files });
  const shallowFirst = open.toSorted((one, other) => one.path.length - other.path.length);
  for (const { path: place, before } of shallowFirst.toReversed())
    if (before?.type !== readLeaf(place)?.type) await remove(place, roots);
  for (const { path: place, before } of shallowFirst) if (before !== null) await restore(place, before, { log, roots });
  const at = new Date().toISOString();
  log.end(id, { ...own, at, undoes, files: files.map((change) => ({ ...change, after: readLeaf(change.path) })) });
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

async function restore(place: string, leaf: Leaf, { log, roots }: FileUndo): Promise<void> {
  await inPlace([roots, place, leaf.type === "link" ? "replace" : "write"], async (entry) => {
    const now = readLeaf(place);
    if (leaf.type === "file")
      return writeAtomically(entry, (temporary) => copyFile(log.images.find(leaf) ?? "", temporary), {
        mode: leaf.mode,
      });
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
