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
import type { CallFacts, FileChange, KeptEntry } from "./entry.ts";
import { readLeaf, type Leaf } from "./leaves.ts";
import type { UndoLog } from "./undo-log.ts";

/** The entries at paths as they would be after changes that are not made. Other paths are as they are. */
export type Planned = Map<string, Leaf | null>;

/**
 * Which changes of an entry are still to be taken back: those whose path is not as it was before.
 *
 * @throws ToolError `conflict` where a path is neither as it was before the call nor as the call left it, or the old content is lost
 */
export function openChanges(
  { files = [] }: KeptEntry,
  planned: Planned,
  images: UndoLog["images"],
): readonly FileChange[] {
  const at = (place: string) => (planned.has(place) ? (planned.get(place) ?? null) : readLeaf(place));
  const contentAt = (place: string) => openFound(place, (descriptor) => readFileSync(descriptor));
  const isAt = (place: string, want: Leaf | null) => {
    const now = at(place);
    if (now?.type !== "file" || want?.type !== "file") return JSON.stringify(now) === JSON.stringify(want);
    if (now.mode !== want.mode || now.size !== want.size) return false;
    if (now.version === want.version) return true;
    const [here, there] = [planned.has(place) ? images.read(now) : contentAt(place), images.read(want)];
    return here !== undefined && there !== undefined && here.equals(there);
  };
  const conflict = (place: string, problem: string) => new ToolError("conflict", `${place}: ${problem}`);
  const open = files.filter(({ path: place, before }) => !isAt(place, before));
  const targets = new Map(open.map((change) => [change.path, change.before]));
  const moved = new Set(files.flatMap(({ after }) => (after?.type === "file" ? [after.version] : [])));
  for (const { path: place, before, after } of open) {
    // A change of the type was interrupted.
    const isHalf = at(place) === null && before !== null && after?.type !== before.type;
    if (after !== undefined && !isHalf && !isAt(place, after)) throw conflict(place, "it was changed since");
    if (before?.type === "file" && !moved.has(before.version) && images.read(before) === undefined)
      throw conflict(place, "its old content is not kept");
    const above = path.dirname(place);
    if (before !== null && (targets.get(above) ?? at(above))?.type !== "folder")
      throw conflict(place, "its folder is gone");
    if (at(place)?.type !== "folder" || before?.type === "folder") continue;
    const stays = [...namesIn(place), ...planned.keys()].find(
      (child) => path.dirname(child) === place && !targets.has(child) && at(child) !== null,
    );
    if (stays !== undefined) throw conflict(stays, "it is in a folder that was created");
  }
  return open;
}

function namesIn(folder: string): readonly string[] {
  return readLeaf(folder)?.type === "folder" ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

/** Takes back the files of one entry. @throws ToolError `conflict` if they were changed since they were checked, `denied` for protected paths */
export async function undoFiles(entry: KeptEntry, log: UndoLog, roots: Roots, facts: CallFacts): Promise<void> {
  const open = openChanges(entry, new Map(), log.images);
  const begun = open.map(({ path: place }) => ({ path: place, before: readLeaf(place) }));
  for (const { path: place, before } of begun) if (before?.type === "file") log.images.keep(place, before);
  const undoes = [entry.id];
  const end = log.begin({ ...facts, undoes, files: begun });
  const shallowFirst = open.toSorted((one, other) => one.path.length - other.path.length);
  const deepFirst = shallowFirst.toReversed();
  /** The files that the call has moved, by their versions. */
  const moved = new Map(
    begun.flatMap(({ path: place, before }) => (before?.type === "file" ? [[before.version, place]] : [])),
  );
  const isSource = (place: string) =>
    open.some(({ before }) => before?.type === "file" && moved.get(before.version) === place);
  for (const { path: place, before } of deepFirst)
    if (before === null ? !isSource(place) : before.type !== readLeaf(place)?.type) await remove(place, roots);
  for (const { path: place, before } of shallowFirst)
    if (before !== null) await restore(place, before, { moved, roots, images: log.images });
  for (const { path: place, before } of deepFirst) if (before === null) await remove(place, roots);
  const files = begun.map((change) => ({ ...change, after: readLeaf(change.path) }));
  end({ ...facts, at: new Date().toISOString(), undoes, files });
}

/** Removes a file, a link or an empty folder. A folder that still holds what is moved out of it stays. */
async function remove(place: string, roots: Roots): Promise<void> {
  if (readLeaf(place) === null) return;
  await inPlace(roots, place, "replace", async ({ path: at, directory }) => {
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
  readonly moved: ReadonlyMap<string, string>;
  readonly roots: Roots;
  readonly images: UndoLog["images"];
}

async function restore(place: string, leaf: Leaf, { moved, roots, images }: RestoreOptions): Promise<void> {
  if (leaf.type === "file") {
    const source = moved.get(leaf.version);
    if (source !== undefined && readLeaf(place) === null) {
      const rename = (from: RootEntry) => inPlace(roots, place, "write", (to) => renameToFreeName(from.path, to.path));
      return inPlace(roots, source, "replace", rename);
    }
    const content = images.read(leaf);
    if (content === undefined) throw new ToolError("conflict", `${place}: its old content is not kept`);
    return inPlace(roots, place, "write", (at) => writeAtomically(at, content, { mode: leaf.mode }));
  }
  await inPlace(roots, place, leaf.type === "link" ? "replace" : "write", async ({ path: at }) => {
    const now = readLeaf(place);
    if (leaf.type === "link" && now?.type === "link") unlinkSync(at);
    if (leaf.type === "link") return symlinkSync(leaf.target, at);
    if (now === null) mkdirSync(at);
    chmodSync(at, leaf.mode);
  });
}

/** Opens an entry at its real path. @throws ToolError `denied` for a protected path and one out of the roots, `conflict` if a link leads elsewhere */
export async function inPlace<T>(
  roots: Roots,
  place: string,
  access: "write" | "replace",
  use: (entry: RootEntry) => Promise<T>,
): Promise<T> {
  const check = async (entry: RootEntry) => {
    if (path.join(entry.directory.real, entry.name) === place && !entry.isRoot) return use(entry);
    throw new ToolError("conflict", `${entry.shown}: a link stands where a folder was`);
  };
  return roots.at(place, check, { follow: false, access });
}
