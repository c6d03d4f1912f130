import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makePrivateFolder } from "@toolpacks/core/private-files";

const pauseMs = 25;
/** How often the holder touches its lock, in ms. */
const beatMs = 1_000;
/** A lock that was not touched for this long is stale, in ms. */
const staleMs = 5_000;

/** Runs work while holding a lock file. The lock excludes other processes and this one. */
export async function withFileLock<T>(place: string, work: () => Promise<T>): Promise<T> {
  const holder = randomUUID();
  makePrivateFolder(path.dirname(place));
  while (!(await take(place, holder))) {
    if (await isStale(place)) await remove(place);
    else await wait(pauseMs);
  }
  const beat = setInterval(() => void utimes(place, new Date(), new Date()).catch(() => {}), beatMs);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    // Another process may have taken a lock that looked stale.
    if ((await readFile(place, "utf8").catch(() => "")) === holder) await rm(place, { force: true });
  }
}

async function take(place: string, holder: string): Promise<boolean> {
  try {
    await writeFile(place, holder, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(place: string): Promise<boolean> {
  // A removed lock is free, not stale.
  const found = await stat(place).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

/** Removes a stale lock. Renamed first, so that only one of several processes removes it. */
async function remove(place: string): Promise<void> {
  const aside = `${place}.${randomUUID()}`;
  await rename(place, aside).then(
    () => rm(aside, { force: true }),
    () => {},
  );
}
