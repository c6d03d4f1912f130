import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { access, constants, rename, rm } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import { fileError } from "./file-error.ts";

/**
 * Creates a file atomically: writes a temporary file beside it and renames it at the end.
 *
 * @throws ToolError `conflict` when the file exists; another error for a file system problem, or the error of `write`
 */
export async function newFile(file: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  const target = path.resolve(file);
  if (existsSync(target)) throw new ToolError("conflict", `${file}: there is a file of that name`, "Name a new one.");
  const folder = path.dirname(file);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw fileError(error, folder);
  });
  const unfinished = `${target}.${randomBytes(4).toString("hex")}.part`;
  try {
    await write(unfinished);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw fileError(error, file);
  }
}
