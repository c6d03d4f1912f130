import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, open, rename, unlink } from "node:fs/promises";
import type { PinnedDirectory } from "@toolpacks/core/roots";
import { cutName } from "./trash.ts";

export interface AtomicWrite {
  readonly directory: PinnedDirectory;
  readonly name: string;
  /** Permission bits of the new file. Default: 0666 minus the process's umask. */
  readonly mode?: number;
  /** If false, the write fails with EEXIST if the name exists, even if another process creates it at the same time. */
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  /** Called before the final rename. If it throws, nothing is changed. */
  readonly confirm?: () => Promise<void>;
}

/** Creates a temporary name for an entry during its write. */
export function temporaryName(name: string): string {
  return `.${cutName(name, 60)}.${randomUUID().slice(0, 8)}.tmp`;
}

/**
 * Writes a file atomically: writes a temporary file in the same directory, flushes it to disk, then renames it. On failure or cancellation the temporary
 * file is removed.
 */
export async function writeAtomically(bytes: Buffer, write: AtomicWrite): Promise<void> {
  const { directory, name, mode = 0o666, overwrite, signal, confirm } = write;
  const temporary = directory.at(temporaryName(name));
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const file = await open(temporary, flags, mode);
  try {
    try {
      await file.writeFile(bytes, { signal });
      if (write.mode !== undefined) await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await confirm?.();
    signal.throwIfAborted();
    if (overwrite) await rename(temporary, directory.at(name));
    else await renameToFreeName(temporary, directory.at(name));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await directory.sync();
}

const noHardLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Renames a file without replacing another: creates the new name as a hard link, which fails if the name exists. */
export async function renameToFreeName(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!noHardLinks.has(code)) throw error;
    // Without hard links, only a check before the rename is possible.
    if ((await lstat(to).catch(() => undefined)) !== undefined)
      throw Object.assign(new Error("taken"), { code: "EEXIST" });
    await rename(from, to);
    return;
  }
  await unlink(from);
}
