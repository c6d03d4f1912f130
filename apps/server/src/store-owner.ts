import { statSync, type Stats } from "node:fs";
import path from "node:path";

/** Problems with the owner of a store's file and folder: other users who can read or replace the store. */
export function ownerProblems(file: string): readonly string[] {
  const user = process.geteuid?.();
  if (user === undefined) return [];
  return [...fileProblems(file, user), ...folderProblems(path.dirname(file), user)];
}

function fileProblems(file: string, user: number): readonly string[] {
  const found = statsOf(file);
  if (found === undefined || found.uid === user) return [];
  const others = (found.mode & 0o022) === 0 ? "" : ", and users besides its owner may write to it";
  return [`the store belongs to another user, who can read and change every record: ${file}${others}`];
}

function folderProblems(folder: string, user: number): readonly string[] {
  const found = statsOf(folder);
  if (found === undefined) return [];
  // Root can replace any file.
  if (found.uid !== user && found.uid !== 0) {
    return [`the store's folder belongs to another user, who can replace the store: ${folder}`];
  }
  const isSticky = (found.mode & 0o1000) !== 0;
  if ((found.mode & 0o002) === 0 || isSticky) return [];
  return [`every user may write to the store's folder, and can replace the store: ${folder}`];
}

function statsOf(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
