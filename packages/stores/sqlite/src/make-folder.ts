import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { ToolError } from "@toolpacks/core";

/**
 * Makes a folder for its owner alone, with those above it. One level at a time: where a file system takes no new folder at all (`/proc`),
 * Node's own recursive way never ends.
 *
 * @throws ToolError `unavailable` with the cause
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (existsSync(folder)) return;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new ToolError(
      "unavailable",
      `the store: its folder ${folder} cannot be made (${code})`,
      "Name another place.",
    );
  }
}
