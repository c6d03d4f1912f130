import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  promises,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "./file-error.ts";

// `node:fs` has these already. A start of the server needs only the synchronous form.
const { link, open, rename, unlink } = promises;

export interface AtomicWriteOptions {
  /** Permission bits of the file. Default: 0666 minus the process's umask. */
  readonly mode?: number;
  /** If false, the write fails with EEXIST if the name exists, even if another process creates it at the same time. Default true. */
  readonly overwrite?: boolean;
}

export interface CancellableWriteOptions extends AtomicWriteOptions {
  readonly signal?: AbortSignal;
  /** Called before the final rename. If it throws, nothing is changed. */
  readonly confirm?: () => Promise<void>;
}

/** An entry of a folder, such as a pinned directory. */
export interface AtomicTarget {
  readonly directory: { at(name: string): string; sync(): Promise<void> };
  readonly name: string;
}

/** The content of a file, whole or in parts, or a function that writes it to the temporary file at a path. */
export type AtomicContent = string | Uint8Array | AsyncIterable<string> | ((temporary: string) => Promise<void>);

/**
 * Writes a file atomically: writes a temporary file in the same folder, flushes it to disk, then renames it. A link as the target is
 * replaced, not followed. On failure or cancellation the temporary file is removed.
 */
export async function writeAtomically(
  target: string | AtomicTarget,
  content: AtomicContent,
  { mode, overwrite = true, signal, confirm }: CancellableWriteOptions = {},
): Promise<void> {
  const { directory, name } = typeof target === "string" ? entryOf(target) : target;
  const temporary = directory.at(temporaryName(name));
  const file = await open(temporary, "wx", mode ?? 0o666);
  try {
    try {
      if (typeof content === "function") await content(temporary);
      else if (typeof content === "string" || content instanceof Uint8Array) await file.writeFile(content, { signal });
      else await file.writeFile(joinParts(content), { signal });
      if (mayLoseBits(mode)) await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await confirm?.();
    signal?.throwIfAborted();
    await (overwrite ? renameEntry : renameToFreeName)(temporary, directory.at(name));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await directory.sync();
}

/** The same as `writeAtomically`, for callers that cannot wait. */
export function writeAtomicallySync(
  file: string,
  content: string | Uint8Array,
  { mode, overwrite = true }: AtomicWriteOptions = {},
): void {
  const folder = path.dirname(file);
  const temporary = path.join(folder, temporaryName(path.basename(file)));
  const descriptor = openSync(temporary, "wx", mode ?? 0o666);
  try {
    try {
      writeFileSync(descriptor, content);
      if (mayLoseBits(mode)) fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    (overwrite ? renameSync : renameToFreeNameSync)(temporary, file);
  } catch (error) {
    ignoreErrors(() => unlinkSync(temporary));
    throw error;
  }
  ignoreErrors(() => syncFolder(folder));
}

/** The errors of Windows for an entry that another program, such as a virus scanner, has open. */
const openedCodes = ["EPERM", "EACCES", "EBUSY"];

/** Times between the attempts, in ms: a second in total. */
const waitsMs = [10, 20, 40, 80, 150, 300, 400];

/** Renames an entry. On Windows it tries again for a second while another program has the entry open. */
export async function renameEntry(
  from: string,
  to: string,
  { attempt = rename, platform = process.platform } = {},
): Promise<void> {
  for (const ms of platform === "win32" ? waitsMs : []) {
    try {
      return await attempt(from, to);
    } catch (error) {
      if (!hasCode(error, ...openedCodes)) throw error;
      await wait(ms);
    }
  }
  return attempt(from, to);
}

/** Renames a file without replacing another: creates the new name as a hard link, which fails with EEXIST if the name exists. */
export async function renameToFreeName(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!hasCode(error, ...noHardLinks)) throw error;
    // An empty file takes the name first: its creation fails if the name exists.
    await (await open(to, "wx")).close();
    await renameEntry(from, to).catch(async (renameError: unknown) => {
      await unlink(to).catch(() => {});
      throw renameError;
    });
    return;
  }
  await unlink(from);
}

function renameToFreeNameSync(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasCode(error, ...noHardLinks)) throw error;
    closeSync(openSync(to, "wx"));
    try {
      renameSync(from, to);
    } catch (renameError) {
      ignoreErrors(() => unlinkSync(to));
      throw renameError;
    }
    return;
  }
  unlinkSync(from);
}

/** Creates a temporary name for an entry during its write. */
export function temporaryName(name: string): string {
  return `${temporaryPrefix(name)}${randomUUID().slice(0, 8)}.tmp`;
}

/** Whether an entry of a folder has a temporary name for a file: it is left when a process is killed during a write. */
export function isTemporaryName(entry: string, name: string): boolean {
  const prefix = temporaryPrefix(name);
  return entry.startsWith(prefix) && /^[0-9a-f]{8}\.tmp$/.test(entry.slice(prefix.length));
}

/** Cuts a name to at most `maxBytes` bytes, without splitting a character. */
export function cutName(name: string, maxBytes: number): string {
  let cut = "";
  for (const character of name) {
    if (Buffer.byteLength(cut + character) > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** Joins small parts, so that each write has about a megabyte. */
async function* joinParts(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let joined = "";
  for await (const part of parts) {
    joined += part;
    if (joined.length < 1_000_000) continue;
    yield joined;
    joined = "";
  }
  yield joined;
}

function temporaryPrefix(name: string): string {
  return `.${cutName(name, 60)}.`;
}

function entryOf(file: string): AtomicTarget {
  const folder = path.dirname(file);
  const sync = async () => {
    const opened = await open(folder, "r").catch(() => undefined);
    // Some systems cannot open or flush a folder.
    await opened?.sync().catch(() => {});
    await opened?.close();
  };
  return { directory: { at: (name) => path.join(folder, name), sync }, name: path.basename(file) };
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the umask or the write may remove bits of a mode. A private file's mode is not set again: some file systems refuse it. */
function mayLoseBits(mode: number | undefined): mode is number {
  return mode !== undefined && (mode & ~0o700) !== 0;
}

const noHardLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // The write has succeeded, or fails with its own error.
  }
}
