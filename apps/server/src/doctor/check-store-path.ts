import { statSync } from "node:fs";
import path from "node:path";

/** The reason why a store cannot be created at a path: a folder or file is in the way. Undefined when there is none. */
export function storePathProblem(file: string): string | undefined {
  if (typeAt(file) === "folder") {
    return `the store cannot be made: ${file} is a folder; name a file in it, such as ${path.join(file, "store.db")}`;
  }
  const parent = nearestParent(file);
  if (parent !== undefined && typeAt(parent) === "other") {
    return `the store cannot be made: ${parent} is a file, and the path leads through it`;
  }
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
