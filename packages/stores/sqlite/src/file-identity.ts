import { closeSync, openSync, readSync, realpathSync, statSync, type BigIntStats } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { DatabaseSync } from "./node-sqlite.ts";

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

/** Says whether the files of an open store are still the ones at its path. */
export interface FileIdentity {
  /** All of the files, for a write. */
  change(): Promise<FileChange | undefined>;
  /** The file itself alone, for a read. */
  isAtPath(): boolean;
  /** Paths of the `-wal` and `-shm` file that are still the ones of this store. */
  ownSideFiles(): readonly string[];
}

/** The store's own id, and the generation in the file itself, without the log. */
interface Marker {
  readonly storeId: string;
  readonly generation: number;
}

/** How long another process may take to copy its log into the file, in which time the file cannot be read without the log. */
const copyMs = 5_000;

/** @param storeId as the open connection reads it, which has also opened the log */
export function identifyFile(file: string, storeId: string): FileIdentity {
  // SQLite puts the log beside the file that a link leads to.
  const real = realpathSync(file);
  const sides = [`${real}-wal`, `${real}-shm`].map((place) => ({ place, id: idAt(place) }));
  const main = statAt(file);
  let looked = main;
  let marker = readMarker(file);

  /**
   * SQLite writes to the file itself only when it copies the log into it, so the file is read seldom. The time of a change of the inode is
   * compared, since no program can set it back.
   */
  const isOverwritten = async (now: BigIntStats): Promise<boolean> => {
    if (now.ctimeNs === looked?.ctimeNs && now.size === looked.size) return false;
    const found = await readCopied(now);
    if (found === "overwritten") return true;
    if (found !== undefined && (found.storeId !== storeId || found.generation < (marker?.generation ?? 0))) return true;
    marker = found ?? marker;
    looked = now;
    return false;
  };
  /** Reads the marker. While another process copies its log into the file, it is tried again. */
  const readCopied = async (now: BigIntStats): Promise<Marker | "overwritten" | undefined> => {
    const deadline = performance.now() + copyMs;
    for (;;) {
      const size = readDatabaseSize(file);
      // Neither does a copy change how a file begins, nor does it make one shorter than its header says.
      if (size === undefined || (now.size < (looked?.size ?? 0n) && now.size < size)) return "overwritten";
      const found = readMarker(file);
      // The file of a new store has no tables before the log is copied for the first time.
      if (found !== undefined || marker === undefined) return found;
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

/** A `file:` address that makes SQLite read the file alone, with no lock and no log. */
export function immutableAddress(file: string): URL {
  const address = pathToFileURL(file);
  address.searchParams.set("immutable", "1");
  return address;
}

function readMarker(file: string): Marker | undefined {
  try {
    const database = new DatabaseSync(immutableAddress(file), { readOnly: true });
    try {
      const row = database.prepare("SELECT store_id, generation FROM toolpacks").get();
      return row && { storeId: String(row["store_id"]), generation: Number(row["generation"]) };
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** The first bytes of every SQLite database. */
const magic = Buffer.from("SQLite format 3\0");

/** The bytes that a database has by its header; undefined where the file does not begin as one. */
function readDatabaseSize(file: string): bigint | undefined {
  const header = Buffer.alloc(100);
  try {
    const descriptor = openSync(file, "r");
    try {
      if (readSync(descriptor, header, { position: 0 }) < header.length) return undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
  if (!header.subarray(0, magic.length).equals(magic)) return undefined;
  const pageSize = header.readUInt16BE(16);
  // 1 stands for 65,536, which has no room there.
  return BigInt(header.readUInt32BE(28)) * BigInt(pageSize === 1 ? 65_536 : pageSize);
}

function statAt(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A folder above it is gone, or may not be entered any more.
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
