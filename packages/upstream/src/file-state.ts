import { createHash } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { hasCode, withFileLock, readPrivateFile, writePrivateFile } from "@toolpacks/files";
import type { RemoteState, StateKey } from "./remote-state.ts";

const watchMs = 1_000;
const folders = { accepted: "accepted", "sign-in": "sign-ins" } as const;

/** Accepted tools and sign-ins in files that only their owner can access. */
export function createFileState(directory: string): RemoteState {
  const fileOf = ({ kind, server, caller }: StateKey) =>
    path.join(directory, folders[kind], `${server}${callerSuffix(caller)}.json`);
  return {
    read: (key) => readIfExists(fileOf(key)),
    update(key, change) {
      const file = fileOf(key);
      // Not the lock of `withLock`, whose holder updates.
      return withFileLock(`${file}.update`, async () => {
        const text = change(await readIfExists(file));
        await writePrivateFile(file, text);
        return text;
      });
    },
    remove: (key) => rm(fileOf(key), { force: true }),
    withLock: (key, work) => withFileLock(`${fileOf(key)}.lock`, work),
    watch(key, changed) {
      const file = fileOf(key);
      watchFile(file, { interval: watchMs, persistent: false }, changed);
      return () => unwatchFile(file, changed);
    },
    describe: fileOf,
  };
}

/** The end of the names of a caller's files. The whole hash: a caller may choose its own id, and must not find one with another caller's files. */
export function callerSuffix(caller: string): string {
  return caller === "" ? "" : `-${createHash("sha256").update(caller).digest("hex")}`;
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return (await readPrivateFile(file)).toString();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
