import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import { type AtomicContent, fileError, writeAtomically } from "@toolpacks/files";

/**
 * Creates a private file atomically.
 *
 * @param file a relative path is below `cwd`
 * @throws ToolError `conflict` when the file exists; another error for a file system problem, or the error of writing the content
 */
export async function newFile(file: string, content: AtomicContent, cwd: string): Promise<void> {
  const target = path.resolve(cwd, file);
  if (existsSync(target)) throw nameTaken(file);
  const folder = path.dirname(file);
  await access(path.dirname(target), constants.W_OK).catch((error: unknown) => {
    throw fileError(error, folder);
  });
  await writeAtomically(target, content, { mode: 0o600, overwrite: false }).catch((error: unknown) => {
    throw error instanceof Error && "code" in error && error.code === "EEXIST"
      ? nameTaken(file)
      : fileError(error, file);
  });
}

function nameTaken(file: string): ToolError {
  return new ToolError("conflict", `${file}: there is a file of that name`, "Name a new one.");
}
