import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";

const privateFile = 0o600;
const privateFolder = 0o700;
const forOthers = 0o077;

/**
 * Makes a folder, and the missing ones above it, with access for its owner alone. A folder that exists stays as it is.
 *
 * @throws the file system's error, whose `path` is the folder that cannot be made
 */
export function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  // One level at a time: where a file system takes no new folder at all (`/proc`), Node's own recursive way never ends.
  makePrivateFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: privateFolder });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/** Makes an empty file with access for its owner alone. Takes access from others where the file exists and is ours. */
export function makePrivateFile(file: string): void {
  if (existsSync(file)) tightenFile(file);
  else closeSync(openSync(file, "a", privateFile));
}

/** Takes access to a file from everybody but its owner, where the owner is this user. A missing file is left alone. */
export function tightenFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || (found.mode & forOthers) === 0) return;
  if (found.uid !== process.geteuid?.()) return;
  try {
    chmodSync(file, found.mode & privateFolder);
  } catch (error) {
    // Some disks keep no modes, or may only be read.
    if (!(error instanceof Error && "code" in error && ["EROFS", "EPERM", "ENOTSUP"].includes(String(error.code)))) {
      throw error;
    }
  }
}

/** Reads a file of ours, and takes access to it from others. Rejects as `readFile` does. */
export async function readPrivateFile(file: string): Promise<Buffer> {
  tightenFile(file);
  return readFile(file);
}

/** Replaces a file as a whole, with access for its owner alone; its folder is made so too. The content is on disk when it resolves. */
export async function writePrivateFile(file: string, content: string | Uint8Array): Promise<void> {
  makePrivateFolder(path.dirname(file));
  const fresh = `${file}.${randomUUID()}`;
  try {
    const handle = await open(fresh, "wx", privateFile);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
