import { realpathSync, statSync, type BigIntStats } from "node:fs";
import { pathToFileURL } from "node:url";
import { DatabaseSync } from "./node-sqlite.ts";

/**
 * What happened to an open file on disk.
 *
 * - `deleted`: there is no file at the path.
 * - `replaced`: another file is at the path.
 * - `overwritten`: another database was copied into the same file.
 * - `log-deleted`: the file is the same, and SQLite's `-wal` or `-shm` file is gone.
 * - `log-replaced`: the file is the same, and another `-wal` or `-shm` file is there.
 */
export type FileChange = "deleted" | "replaced" | "overwritten" | "log-deleted" | "log-replaced";

/** Says whether the files of an open store are still the ones at its path. */
export interface FileIdentity {
  /** All of the files, for a write. */
  change(): FileChange | undefined;
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

/** @param storeId as the open connection reads it, which has also opened the log */
export function identifyFile(file: string, storeId: string): FileIdentity {
  // SQLite puts the log beside the file that a link leads to.
  const real = realpathSync(file);
  const sides = [`${real}-wal`, `${real}-shm`].map((place) => ({ place, id: idAt(place) }));
  const main = statAt(file);
  let looked = main;
  let marker = readMarker(file);

  /** SQLite writes to the file itself only when it copies the log into it, so the marker is read seldom. */
  const isOverwritten = (now: BigIntStats) => {
    if (now.mtimeNs === looked?.mtimeNs && now.size === looked.size) return false;
    const found = readMarker(file);
    // Another process may be copying its log into the file: the next call looks again.
    if (found === undefined) return false;
    if (found.storeId !== storeId || found.generation < (marker?.generation ?? 0)) return true;
    marker = found;
    looked = now;
    return false;
  };
  return {
    change() {
      const now = statAt(file);
      if (now === undefined) return "deleted";
      if (main === undefined || idOf(now) !== idOf(main)) return "replaced";
      if (isOverwritten(now)) return "overwritten";
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
