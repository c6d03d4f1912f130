import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makePrivateFolder } from "./private-files.ts";

const pauseMs = 25;
/** How often the holder touches its lock, in ms. */
const beatMs = 1_000;
/** A lock that was not touched for this long is stale, in ms. */
const staleMs = 5_000;

/** Runs work while holding a lock file. The lock excludes other processes and this one. */
export async function withFileLock<T>(filePath: string, work: () => Promise<T>): Promise<T> {
  const holder = randomUUID();
  makePrivateFolder(path.dirname(filePath));
  while (!(await take(filePath, holder))) {
    if (await isStale(filePath)) await remove(filePath);
    else await wait(pauseMs);
  }
  const beat = setInterval(() => void utimes(filePath, new Date(), new Date()).catch(() => {}), beatMs);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    // Another process may have taken a lock that looked stale.
    if ((await readFile(filePath, "utf8").catch(() => "")) === holder) await rm(filePath, { force: true });
  }
}

async function take(filePath: string, holder: string): Promise<boolean> {
  try {
    await writeFile(filePath, holder, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(filePath: string): Promise<boolean> {
  // A removed lock is free, not stale.
  const found = await stat(filePath).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

/** Removes a stale lock. Renamed first, so that only one of several processes removes it. */
async function remove(filePath: string): Promise<void> {
  const aside = `${filePath}.${randomUUID()}`;
  await rename(filePath, aside).then(
    () => rm(aside, { force: true }),
    () => {},
  );
}
