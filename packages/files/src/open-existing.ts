import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { ToolError, quoteName } from "@toolpacks/core";
import { hasCode } from "./file-error.ts";

interface Place {
  readonly path: string;
  /** The path as a caller knows it. */
  readonly shown: string;
}

/** Opens a regular file for reading; undefined if it does not exist. The caller closes it. */
export async function openExisting(place: Place): Promise<FileHandle | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(place.path, flags).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  const kind = stats.isDirectory() ? "a directory; fs_list shows what is in it" : "a device, pipe or socket";
  throw new ToolError("invalid_input", `${quoteName(place.shown)}: expected a file, this is ${kind}`);
}
