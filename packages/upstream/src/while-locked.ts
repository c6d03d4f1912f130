import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makePrivateFolder } from "@toolpacks/core/private-files";

const pauseMs = 25;
/** How often whoever holds a lock touches it, */
const beatMs = 1_000;
/** and how long it stays untouched until its holder counts as gone. */
const staleMs = 5_000;

/** Does something while nobody else does who locks the same file, in this process or another. */
export async function whileLocked<T>(place: string, work: () => Promise<T>): Promise<T> {
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
    // It is another's where we were held up for so long that we counted as gone.
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
  // One that is gone meanwhile is free, not stale.
  const found = await stat(place).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

/** Under another name first: of several that find it stale, one alone moves it away. */
async function remove(place: string): Promise<void> {
  const aside = `${place}.${randomUUID()}`;
  await rename(place, aside).then(
    () => rm(aside, { force: true }),
    () => {},
  );
}
