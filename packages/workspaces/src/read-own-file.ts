import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";

/**
 * Reads a small file of this user. Undefined when the file is missing, a link, not a regular file, another user's, or larger than the
 * limit.
 */
export function readOwnFile(file: string, maxBytes: number): string | undefined {
  let descriptor: number;
  try {
    // A link or a FIFO may replace the file between these calls. Windows has neither flag.
    if (!lstatSync(file).isFile()) return undefined;
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isOwn(stats) || stats.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(stats.size);
    return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, stats.size, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a file belongs to this user. Always true on systems without user ids. */
export function isOwn({ uid }: Stats): boolean {
  const user = process.getuid?.();
  return user === undefined || uid === user;
}
