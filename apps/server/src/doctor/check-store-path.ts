import { statSync } from "node:fs";
import path from "node:path";

/** Why no store can be made at a path, as far as what stands there says; undefined where it can. */
export function storePathProblem(file: string): string | undefined {
  if (typeAt(file) === "folder") {
    return `the store cannot be made: ${file} is a folder; name a file in it, such as ${path.join(file, "store.db")}`;
  }
  const above = nearestAbove(file);
  if (above !== undefined && typeAt(above) === "other") {
    return `the store cannot be made: ${above} is a file, and the path leads through it`;
  }
  return undefined;
}

function nearestAbove(file: string): string | undefined {
  const folder = path.dirname(file);
  if (folder === file) return undefined;
  return typeAt(folder) === "nothing" ? nearestAbove(folder) : folder;
}

function typeAt(place: string): "folder" | "other" | "nothing" {
  try {
    return statSync(place).isDirectory() ? "folder" : "other";
  } catch {
    // Also a path that leads through a file: the file is met further up.
    return "nothing";
  }
}
