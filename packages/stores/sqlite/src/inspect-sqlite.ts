import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { ownerProblems } from "./store-owner.ts";

/** What is known of a store's file without opening the store, which would create it. */
export interface SqliteInspection {
  readonly exists: boolean;
  /** The reason why the store cannot be written, or cannot be created. */
  readonly writeProblem?: string | undefined;
  /** Other users who can read or replace the store. */
  readonly otherProblems?: readonly string[];
}

/** Whether a path exists and is not an empty file. */
export function isStoreFile(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !(found.isFile() && found.size === 0);
}

/** Inspects the file of a store: whether it exists, can be written or created, and which other users have access. */
export function inspectSqlite(file: string): SqliteInspection {
  const obstacle = findObstacle(file);
  if (obstacle !== undefined) return { exists: false, writeProblem: obstacle };
  // The driver writes its log to a file in the same folder.
  const needed = [...(existsSync(file) ? [file] : []), nearestFolder(file)];
  const closed = needed.find((one) => !isWritable(one));
  const writeProblem = closed === undefined ? undefined : `${closed} may not be written to`;
  return { exists: isStoreFile(file), writeProblem, otherProblems: ownerProblems(file) };
}

/** The folder or file that is in the way of a store. Undefined when there is none. */
function findObstacle(file: string): string | undefined {
  if (typeAt(file) === "folder") {
    return `${file} is a folder; name a file in it, such as ${path.join(file, "store.db")}`;
  }
  const parent = nearestParent(file);
  if (parent !== undefined && typeAt(parent) === "other") return `${parent} is a file, and the path leads through it`;
  return undefined;
}

function nearestParent(file: string): string | undefined {
  const folder = path.dirname(file);
  if (folder === file) return undefined;
  return typeAt(folder) === "nothing" ? nearestParent(folder) : folder;
}

function typeAt(place: string): "folder" | "other" | "nothing" {
  try {
    return statSync(place).isDirectory() ? "folder" : "other";
  } catch {
    // The path may lead through a file, which is found further up.
    return "nothing";
  }
}

function nearestFolder(file: string): string {
  const folder = path.dirname(file);
  return existsSync(folder) || folder === file ? folder : nearestFolder(folder);
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
