import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import type { DriverReader, KindLayout } from "@toolpacks/core/store";
import { includesLayout } from "@toolpacks/store-sql";
import { createReader } from "./connection-reader.ts";
import { openConnection, type Connection } from "./connection.ts";
import { immutableAddress } from "./file-identity.ts";
import { readGeneration } from "./find.ts";
import { readLayout, readLayouts } from "./kind-tables.ts";
import { checkOwner, isEmpty } from "./migrations.ts";
import type { SqliteDriver } from "./sqlite-driver.ts";
import { watchFile } from "./watch-file.ts";
import { checkFile, copyFile, scanFile } from "./whole-file.ts";

/** The file of a store, or its folder, that this process may not write to; undefined where it may write to both, or there is no file. */
export function unwritablePart(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  return [file, path.dirname(file)].find((place) => !mayWrite(place));
}

/**
 * Opens a store that this process may only read. Every write is `unavailable`. A kind that was never written has no records.
 *
 * @param unwritable the file or the folder that may not be written to
 */
export function openReadOnly(file: string, unwritable: string): SqliteDriver {
  const reader = createReopening(file);
  const refused = async (): Promise<never> => {
    throw readOnly(unwritable);
  };
  const watched = watchFile(() => readGeneration(reader()));
  const layoutOf = (kind: KindLayout) => readLayout(reader(), kind.name);
  const within = <T>(work: (from: DriverReader) => T): T => work(createReader(reader()));
  return {
    ensureKind(kind) {
      const known = layoutOf(kind);
      if (known === undefined || includesLayout(known, kind)) return;
      const why = `the indexes of kind ${kind.name} are older than this program, and the file may only be read`;
      throw new ToolError("unavailable", `the store: ${why}`, `Make ${unwritable} writable once.`);
    },
    get: (kind, workspace, id) =>
      layoutOf(kind) === undefined ? undefined : within((from) => from.get(kind, workspace, id)),
    find: (kind, plan) =>
      layoutOf(kind) === undefined
        ? { rows: [], total: 0, generation: readGeneration(reader()), resume: () => undefined }
        : within((from) => from.find(kind, plan)),
    generation: () => readGeneration(reader()),
    workspaces: () => within((from) => from.workspaces()),
    transaction: refused,
    watch: (listener) => watched.watch(listener),
    kinds: () => readLayouts(reader()),
    scan: () => scanFile(openReadable(file).connection),
    check: async () => checkFile(reader()),
    backup: (to) => copyFile(reader(), to),
    async end() {
      watched.end();
      reader.close();
    },
  };
}

function readOnly(unwritable: string): ToolError {
  const hint = `Make ${unwritable} writable, or use another store.`;
  return new ToolError("unavailable", "the store: the file may only be read", hint);
}

interface ReopeningReader {
  (): Connection;
  close(): void;
}

/** The connection to the file as it is now: SQLite does not notice when an immutable file changes. */
function createReopening(file: string): ReopeningReader {
  let opened = openReadable(file);
  const current = () => {
    if (opened.version !== versionOf(file)) {
      const fresh = openReadable(file);
      opened.connection.close();
      opened = fresh;
    }
    return opened.connection;
  };
  return Object.assign(current, { close: () => opened.connection.close() });
}

interface Readable {
  readonly connection: Connection;
  readonly version: string;
}

/** @throws ToolError `unavailable` when it is no store */
function openReadable(file: string): Readable {
  const version = versionOf(file);
  const connection = connectionTo(file);
  try {
    checkOwner(connection);
    if (isEmpty(connection)) throw new ToolError("unavailable", "the store: the file is empty and may only be read");
    return { connection, version };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** SQLite reads a file with a log only where it can make the log's files, or finds them. Without a log the file alone is the store. */
function connectionTo(file: string): Connection {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  const canHaveLog = mayWrite(path.dirname(file));
  if (!canHaveLog && (log === undefined || log.size === 0))
    return openConnection(immutableAddress(file), { readOnly: true });
  try {
    const connection = openConnection(file, { readOnly: true });
    connection.one("PRAGMA user_version");
    return connection;
  } catch (error) {
    if (canHaveLog) throw error;
    throw new ToolError(
      "unavailable",
      `the store: ${file}-wal holds writes that cannot be read, since its folder may only be read`,
      "Copy the file and its -wal to a folder that may be written to.",
    );
  }
}

function versionOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev}:${found.ino}:${found.mtimeNs}:${found.size}`;
}

function mayWrite(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
