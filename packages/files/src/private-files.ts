import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import path from "node:path";
import { hasCode } from "./file-error.ts";
import { readRegularFile } from "./read-regular-file.ts";
import { writeAtomically } from "./write-atomically.ts";

const privateFile = 0o600;
const privateFolder = 0o700;
const accessOfOthers = 0o077;

/**
 * Creates a folder and its missing parents, accessible only by their owner. An existing folder is not changed.
 *
 * @throws the error of the file system, whose `path` is the folder that cannot be created
 */
export function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  // One level at a time: on a file system that allows no new folders (`/proc`), Node's recursive mkdir never ends.
  makePrivateFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: privateFolder });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(folder)) throw error;
  }
}

/** Creates an empty file that only its owner can access. If the file exists and belongs to this user, removes the access of others. */
export function makePrivateFile(file: string): void {
  if (existsSync(file)) tightenFile(file);
  else closeSync(openSync(file, "a", privateFile));
}

/** Removes the access of other users to a file, if it belongs to this user. Does nothing if the file does not exist. */
export function tightenFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || (found.mode & accessOfOthers) === 0) return;
  if (found.uid !== process.geteuid?.()) return;
  try {
    chmodSync(file, found.mode & privateFolder);
  } catch (error) {
    // Some file systems are read-only or have no file modes.
    if (!hasCode(error, "EROFS", "EPERM", "ENOTSUP")) {
      throw error;
    }
  }
}

const maxBytes = 256 * 1024 * 1024;

/** Reads a private file, and removes the access of others to it. Rejects like `readFile`, and for a file that is not regular, such as a FIFO. */
export async function readPrivateFile(file: string): Promise<Buffer> {
  tightenFile(file);
  return readRegularFile(file, maxBytes);
}

/** Replaces a file atomically. Only its owner can access the file and a folder that this creates. The content is on disk when it resolves. */
export async function writePrivateFile(file: string, content: string | Uint8Array): Promise<void> {
  makePrivateFolder(path.dirname(file));
  await writeAtomically(file, content, { mode: privateFile });
}
