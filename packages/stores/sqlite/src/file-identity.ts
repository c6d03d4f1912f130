/** Whether the files of an open store are still the ones at its path. */
import { realpathSync, statSync, type BigIntStats } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { DatabaseSync } from "./connection.ts";

/**
 * What happened to an open file on disk.
 *
 * - `deleted`: there is no file at the path.
 * - `replaced`: another file is at the path.
 * - `overwritten`: something else was written into the same file, or it was truncated.
 * - `log-deleted`: the file is the same, and SQLite's `-wal` or `-shm` file is gone.
 * - `log-replaced`: the file is the same, and another `-wal` or `-shm` file is there.
 */
export type FileChange = "deleted" | "replaced" | "overwritten" | "log-deleted" | "log-replaced";

/** Detects whether the files of an open store are still the ones at its path. */
export interface FileIdentity {
  /** Checks all files, for a write. */
  change(): Promise<FileChange | undefined>;
  /** Checks only the main file, for a read. */
  isAtPath(): boolean;
  /** Paths of the `-wal` and `-shm` files that still belong to this store. */
  ownSideFiles(): readonly string[];
}

/** The store's id and the generation in the main file, without the log. */
interface Marker {
  readonly storeId: string;
  readonly generation: number;
}

/** Timeout for another process to copy its log into the file. Until then the file cannot be read without the log. */
const copyTimeoutMs = 5_000;

/** @param storeId the id that the open connection read; the log is open since then */
export function identifyFile(file: string, storeId: string): FileIdentity {
  // SQLite creates the log next to the target of a link.
  const real = realpathSync(file);
  const sides = [`${real}-wal`, `${real}-shm`].map((place) => ({ place, id: idAt(place) }));
  const main = statAt(file);
  let checked = main;
  const opened = readMarker(file);
  let marker = opened === "overwritten" ? undefined : opened;

  /**
   * Whether another program wrote to the file. SQLite writes to it only when it copies the log, so it is rarely read. The change time of the inode is
   * compared, because no program can set it.
   */
  const isOverwritten = async (now: BigIntStats): Promise<boolean> => {
    if (now.ctimeNs === checked?.ctimeNs && now.size === checked.size) return false;
    const found = await readCopied(now);
    if (found === "overwritten") return true;
    if (found !== undefined && (found.storeId !== storeId || found.generation < (marker?.generation ?? 0))) return true;
    marker = found ?? marker;
    checked = now;
    return false;
  };
  /** Reads the marker. Retries while another process copies its log into the file. */
  const readCopied = async (now: BigIntStats): Promise<Marker | "overwritten" | undefined> => {
    const deadline = performance.now() + copyTimeoutMs;
    for (;;) {
      const found = readMarker(file);
      if (found !== undefined) return found;
      // The file of a new store has no tables until the log is first copied, which never makes it shorter.
      if (marker === undefined && now.size >= (checked?.size ?? 0n)) return undefined;
      if (performance.now() > deadline) return "overwritten";
      await wait(10);
    }
  };
  return {
    async change() {
      const now = statAt(file);
      if (now === undefined) return "deleted";
      if (main === undefined || idOf(now) !== idOf(main)) return "replaced";
      if (await isOverwritten(now)) return "overwritten";
      const ids = sides.map(({ place, id }) => [id, idAt(place)] as const);
      if (ids.some(([id, found]) => found !== undefined && found !== id)) return "log-replaced";
      return ids.some(([id, found]) => found !== id) ? "log-deleted" : undefined;
    },
    isAtPath: () => main !== undefined && idAt(file) === idOf(main),
    ownSideFiles: () =>
      sides.filter(({ place, id }) => id !== undefined && idAt(place) === id).map(({ place }) => place),
  };
}

/** A `file:` URL with which SQLite reads only the main file, without a lock and without the log. */
export function immutableAddress(file: string): URL {
  const address = pathToFileURL(file);
  address.searchParams.set("immutable", "1");
  return address;
}

/** SQLite's code for a file that does not start like a database. */
const notDatabase = 26;

/**
 * Reads the file with SQLite alone: POSIX releases all locks of a process on a file when the process closes any of its descriptors, and SQLite closes its
 * own only when the process has no locks (https://sqlite.org/howtocorrupt.html, 2.2). Without the locks, the last other process would delete the log.
 *
 * @returns undefined if the file cannot be read without the log, `overwritten` if it is no database
 */
function readMarker(file: string): Marker | "overwritten" | undefined {
  try {
    const database = new DatabaseSync(immutableAddress(file), { readOnly: true });
    try {
      const row = database.prepare("SELECT store_id, generation FROM toolpacks").get();
      return row && { storeId: String(row["store_id"]), generation: Number(row["generation"]) };
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error && "errcode" in error && error.errcode === notDatabase ? "overwritten" : undefined;
  }
}

function statAt(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A parent folder was deleted or can no longer be accessed.
    return undefined;
  }
}

function idAt(file: string): string | undefined {
  const found = statAt(file);
  return found && idOf(found);
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
