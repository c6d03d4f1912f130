import { writeAtomicallySync } from "@toolpacks/files";

/**
 * Creates a private file atomically. Of several processes, exactly one creates it.
 *
 * @returns false when the file exists
 */
export function createFile(file: string, text: string): boolean {
  try {
    writeAtomicallySync(file, text, { mode: 0o600, overwrite: false });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
