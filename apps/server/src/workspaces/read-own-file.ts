import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";

/**
 * The text of a small file of this user. Undefined where there is none, and where the file is a link, no regular file, another
 * user's, or longer than the limit.
 */
export function readOwnFile(file: string, maxBytes: number): string | undefined {
  let descriptor: number;
  try {
    // A link or a FIFO may take the file's place meanwhile. Windows has neither flag.
    if (!lstatSync(file).isFile()) return undefined;
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isOwn(stats) || stats.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(maxBytes);
    return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, maxBytes, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a file is this user's. Where users have no numbers, every file is. */
export function isOwn({ uid }: Stats): boolean {
  const user = process.getuid?.();
  return user === undefined || uid === user;
}
