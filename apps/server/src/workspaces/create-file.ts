import { randomBytes } from "node:crypto";
import { linkSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

const exclusive = { flag: "wx", mode: 0o600 } as const;

/**
 * Creates a private file atomically. Of several processes, exactly one creates it.
 *
 * @returns false when the file exists
 */
export function createFile(file: string, text: string): boolean {
  const unfinished = writeUnfinished(file, text);
  try {
    linkSync(unfinished, file);
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    return createWithoutLink(file, text);
  } finally {
    unlinkSync(unfinished);
  }
}

/** Replaces or creates a file atomically. */
export function replaceFile(file: string, text: string): void {
  renameSync(writeUnfinished(file, text), file);
}

function writeUnfinished(file: string, text: string): string {
  const name = `.${path.basename(file)}.${randomBytes(6).toString("hex")}`;
  const unfinished = path.join(path.dirname(file), name);
  writeFileSync(unfinished, text, exclusive);
  return unfinished;
}

/** Creates a file on a file system without hard links. */
function createWithoutLink(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, exclusive);
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    throw error;
  }
}

function isExisting(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EEXIST";
}
