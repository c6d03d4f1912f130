import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, open, rename, unlink } from "node:fs/promises";
import type { PinnedDirectory } from "@toolpacks/core/roots";
import { cutName } from "./trash.ts";

export interface AtomicWrite {
  readonly directory: PinnedDirectory;
  readonly name: string;
  /** Permission bits of the new file. Default: 0666 less the process's mask. */
  readonly mode?: number;
  /** False fails with EEXIST when the name is taken, even by another process at the same moment. */
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  /** Looks once more before the file is put in place; what it throws leaves everything as it was. */
  readonly confirm?: () => Promise<void>;
}

/** A name for an entry that is being written. */
export function temporaryName(name: string): string {
  return `.${cutName(name, 60)}.${randomUUID().slice(0, 8)}.tmp`;
}

/**
 * Puts a file in place whole or not at all: a temporary file in the same directory, on disk, then renamed. On failure
 * or cancellation the temporary file is removed.
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

/** A rename of a file that never replaces: the new name is made as a link, which fails where the name is taken. */
export async function renameToFreeName(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!noHardLinks.has(code)) throw error;
    // Without hard links, looking first is the best that the file system allows.
    if ((await lstat(to).catch(() => undefined)) !== undefined)
      throw Object.assign(new Error("taken"), { code: "EEXIST" });
    await rename(from, to);
    return;
  }
  await unlink(from);
}
