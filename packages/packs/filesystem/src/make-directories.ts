import { mkdir } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import type { Roots } from "@toolpacks/core/roots";

/** Makes a directory and those above it that are missing, each through its checked parent. True when it made any. */
export async function makeDirectories(roots: Roots, directory: string): Promise<boolean> {
  const made = await makeOne(roots, directory).catch((error: unknown) => {
    if (ToolError.is(error) && error.code === "not_found" && path.dirname(directory) !== directory) return undefined;
    throw error;
  });
  if (made !== undefined) return made;
  await makeDirectories(roots, path.dirname(directory));
  return makeOne(roots, directory);
}

async function makeOne(roots: Roots, directory: string): Promise<boolean> {
  return roots.at(directory, async (place) => {
    if (place.isRoot) return false;
    try {
      await mkdir(place.path);
      await place.directory.sync();
      return true;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    await roots.openDirectory(directory, async () => {});
    return false;
  });
}
