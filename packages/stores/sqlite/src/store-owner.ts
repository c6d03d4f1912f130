import { statSync, type Stats } from "node:fs";
import path from "node:path";
import { realPath } from "@toolpacks/files";

const writableByGroup = 0o020;
const writableByOthers = 0o002;
const sticky = 0o1000;

/** Problems with the owner of a store's file and folders: other users who can read or replace the store. */
export function ownerProblems(file: string): readonly string[] {
  const user = process.geteuid?.();
  if (user === undefined) return [];
  // The store can be replaced in the folder of a link and in the folder of its target.
  const folders = new Set([realPath(path.dirname(file)), path.dirname(realPath(file))]);
  return [...fileProblems(file, user), ...new Set([...folders].flatMap((folder) => folderProblems(folder, user)))];
}

function fileProblems(file: string, user: number): readonly string[] {
  const found = statsOf(file);
  if (found === undefined || found.uid === user) return [];
  const others =
    (found.mode & (writableByGroup | writableByOthers)) === 0 ? "" : ", and users besides its owner may write to it";
  return [`the store belongs to another user, who can read and change every record: ${file}${others}`];
}

/** The problem of the store's folder, or of a folder above it, in which another user can replace the next one. */
function folderProblems(folder: string, user: number): readonly string[] {
  for (let place = folder; ; place = path.dirname(place)) {
    const problem = folderProblem(place, user, place === folder ? "the store's folder" : "a folder above the store");
    if (problem !== undefined) return [problem];
    if (path.dirname(place) === place) return [];
  }
}

function folderProblem(folder: string, user: number, name: string): string | undefined {
  const found = statsOf(folder);
  if (found === undefined) return undefined;
  // Root can replace any file.
  if (found.uid !== user && found.uid !== 0) {
    return `${name} belongs to another user, who can replace the store: ${folder}`;
  }
  if ((found.mode & sticky) !== 0) return undefined;
  if ((found.mode & writableByOthers) !== 0) {
    return `every user may write to ${name}, and can replace the store: ${folder}`;
  }
  // Many systems give each user a group of the same number, and folders that are writable by it.
  if ((found.mode & writableByGroup) === 0 || found.gid === user) return undefined;
  return `users of the group ${found.gid} may write to ${name}, and can replace the store: ${folder}`;
}

function statsOf(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
