import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import { fileError, writeAtomically } from "@toolpacks/files";

/**
 * Creates a private file atomically.
 *
 * @param file a relative path is below `cwd`
 * @param content the content in parts, or a function that writes it to the path of the temporary file
 * @throws ToolError `conflict` when the file exists; another error for a file system problem, or the error of writing the content
 */
export async function newFile(
  file: string,
  content: AsyncIterable<string> | ((temporary: string) => Promise<void>),
  cwd: string,
): Promise<void> {
  const target = path.resolve(cwd, file);
  // Refused before the content is made, which may take long.
  if (existsSync(target)) throw new ToolError("conflict", `${file}: there is a file of that name`, "Name a new one.");
  await access(path.dirname(target), constants.W_OK).catch((error: unknown) => {
    throw fileError(error, path.dirname(file));
  });
  await writeAtomically(target, content, { mode: 0o600, overwrite: false }).catch((error: unknown) => {
    throw fileError(error, file);
  });
}
