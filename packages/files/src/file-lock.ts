import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "./file-error.ts";
import { makePrivateFolder } from "./private-files.ts";

const pauseMs = 25;
/** How often the holder touches its lock, in ms. */
const beatMs = 1_000;
/** A lock that was not touched for this long is stale, in ms. */
const staleMs = 5_000;

/**
 * Runs work while holding a lock file. The lock excludes other processes and this one.
 *
 * @param lockFile a path for the lock alone, such as `todo.md.lock`: never the file that it protects
 * @throws Error when the path has a file that is no lock
 */
export async function withFileLock<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  const holder = randomUUID();
  makePrivateFolder(path.dirname(lockFile));
  while (!(await take(lockFile, holder))) {
    if (await isStale(lockFile)) await remove(lockFile);
    else await wait(pauseMs);
  }
  const beat = setInterval(() => void utimes(lockFile, new Date(), new Date()).catch(() => {}), beatMs);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    // Another process may have taken a lock that looked stale.
    if ((await readFile(lockFile, "utf8").catch(() => "")) === holder) await rm(lockFile, { force: true });
  }
}

async function take(lockFile: string, holder: string): Promise<boolean> {
  try {
    await writeFile(lockFile, holder, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** The content of a lock: the id of its holder, or nothing yet. */
const lockContent = /^(?:[0-9a-f-]{36})?$/;

async function isStale(lockFile: string): Promise<boolean> {
  const found = await stat(lockFile).catch(() => undefined);
  // A removed lock is free, not stale.
  if (found === undefined) return false;
  const isOld = Date.now() - found.mtimeMs > staleMs;
  const isLock = found.isFile() && found.size <= 36;
  if (isLock && !isOld) return false;
  if (isLock && lockContent.test(await readFile(lockFile, "utf8").catch(() => ""))) return true;
  throw new Error(`${lockFile}: expected the path of a lock, there is something else`);
}

/** Removes a stale lock. Renamed first, so that only one of several processes removes it. */
async function remove(lockFile: string): Promise<void> {
  const aside = `${lockFile}.${randomUUID()}`;
  await rename(lockFile, aside).then(
    () => rm(aside, { force: true }),
    () => {},
  );
}
