import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { errorText, ToolError } from "@toolpacks/core";
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
  const parent = nearestParent(file);
  if (isFolder(file)) {
    const example = path.join(file, "store.db");
    return { exists: false, writeProblem: `${file} is a folder; name a file in it, such as ${example}` };
  }
  if (!isFolder(parent)) {
    return { exists: false, writeProblem: `${parent} is a file, and the path leads through it` };
  }
  // The driver writes its log to a file in the same folder.
  const closed = [file, parent].find((place) => existsSync(place) && !mayWrite(place));
  const writeProblem = closed === undefined ? undefined : `${closed} may not be written to`;
  return { exists: isStoreFile(file), writeProblem, otherProblems: ownerProblems(file) };
}

/** The nearest folder above a file that exists, or the file in its place. */
function nearestParent(file: string): string {
  const parent = path.dirname(file);
  return existsSync(parent) || parent === file ? parent : nearestParent(parent);
}

function isFolder(place: string): boolean {
  return existsSync(place) && statSync(place).isDirectory();
}

/** Whether this process may write to a file or folder. */
export function mayWrite(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Tests that the SQLite of this Node.js can hold a store. Returns the problems. */
export async function sqliteSelfTest(): Promise<readonly string[]> {
  try {
    const { openConnection } = await import("./connection.ts");
    openConnection(":memory:").close();
    return [];
  } catch (error) {
    return [ToolError.is(error) ? `${error.message}. ${error.hint}` : errorText(error)];
  }
}
