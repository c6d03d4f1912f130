/** The driver of a store that this process can only read. It reopens the file when it changes, and refuses writes. */
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ToolError } from "@toolpacks/core";
import type { KindLayout } from "@toolpacks/store";
import { includesLayout } from "@toolpacks/store-sql";
import { openConnection, type Connection } from "./connection.ts";
import { mayWrite } from "./inspect-sqlite.ts";
import { readLayout, readLayouts } from "./kind-tables.ts";
import { checkOwner, isEmpty } from "./migrations.ts";
import { createReader, readGeneration } from "./reader.ts";
import { watchFile } from "./watch-file.ts";
import { checkFile, copyFile, scanFile, type SqliteDriver } from "./whole-file.ts";

/** The file of a store, or its folder, if this process cannot write to it. Undefined if it can write to both, or there is no file. */
export function unwritablePart(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  return [file, path.dirname(file)].find((place) => !mayWrite(place));
}

/**
 * Opens a store that this process can only read. Every write fails with `unavailable`. A kind without tables has no records.
 *
 * @param unwritable the file or folder that is not writable
 */
export function openReadOnly(file: string, unwritable: string): SqliteDriver {
  const reader = createReopening(file);
  const rejectWrite = async (): Promise<never> => {
    throw readOnly(unwritable);
  };
  const watch = watchFile(() => readGeneration(reader()));
  const layoutOf = (kind: KindLayout) => readLayout(reader(), kind.name);
  return {
    ensureKind(kind) {
      const known = layoutOf(kind);
      if (known === undefined || includesLayout(known, kind)) return;
      const why = `the indexes of kind ${kind.name} are older than this program, and the file may only be read`;
      throw new ToolError("unavailable", `the store: ${why}`, `Make ${unwritable} writable once.`);
    },
    get: (kind, workspace, id) =>
      layoutOf(kind) === undefined ? undefined : createReader(reader()).get(kind, workspace, id),
    find: (kind, plan) =>
      layoutOf(kind) === undefined
        ? { rows: [], total: 0, generation: readGeneration(reader()), resume: () => undefined }
        : createReader(reader()).find(kind, plan),
    generation: () => readGeneration(reader()),
    workspaces: () => createReader(reader()).workspaces(),
    vectorSets: (kind) => (layoutOf(kind) === undefined ? [] : createReader(reader()).vectorSets(kind)),
    rowsWithoutVector: rejectWrite,
    transaction: rejectWrite,
    watch: (listener) => watch.watch(listener),
    kinds: () => readLayouts(reader()),
    scan: () => scanFile(openReadable(file).connection),
    check: async () => checkFile(reader()),
    backup: (to) => copyFile(reader(), to),
    async end() {
      watch.end();
      reader.close();
    },
  };
}

function readOnly(unwritable: string): ToolError {
  const hint = `Make ${unwritable} writable, or use another store.`;
  return new ToolError("unavailable", "the store: the file may only be read", hint);
}

/** Creates a reader that reopens the file when it changes, because SQLite does not notice changes of an immutable file. */
function createReopening(file: string): { (): Connection; close(): void } {
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

/** Opens a file for reading. @throws ToolError `unavailable` when it is not a store */
function openReadable(file: string): { readonly connection: Connection; readonly version: string } {
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

/** Connects to a file. SQLite can read a file with a log only if the log's files exist or can be created. Without a log, only the file is opened. */
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

/** A `file:` URL with which SQLite reads only the main file, without a lock and without the log. */
function immutableAddress(file: string): URL {
  const address = pathToFileURL(file);
  address.searchParams.set("immutable", "1");
  return address;
}

function versionOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev}:${found.ino}:${found.mtimeNs}:${found.size}`;
}
