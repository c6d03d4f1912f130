import path from "node:path";
import type { DriverReader, KindLayout, StoreDriver } from "@toolpacks/core/store";
import { ToolError } from "@toolpacks/core";
import { recordTable } from "@toolpacks/store-sql";
import { openConnection, type Connection } from "./connection.ts";
import { find, readGeneration } from "./find.ts";
import { isPrepared, prepareKind, readLayouts } from "./kind-tables.ts";
import { makeFolder } from "./make-folder.ts";
import { checkOwner, isCurrent, migrate } from "./migrations.ts";
import { backup as copyDatabase } from "./node-sqlite.ts";
import { sqliteError } from "./sqlite-error.ts";
import { toRow } from "./to-row.ts";
import { createTransaction } from "./transaction.ts";
import { watchFile } from "./watch-file.ts";
import { createWriter } from "./writer.ts";

/** More pages than a file can have. */
const everyPage = 2 ** 31 - 1;

export interface DriverOptions {
  readonly busyTimeout: number;
}

/** A driver that can also copy the file while it is written to. */
export interface SqliteDriver extends StoreDriver {
  backup(file: string): Promise<void>;
}

/**
 * Opens a file as a store, or makes one. Reads and writes have a connection each, so that a read between the awaits of a
 * transaction does not see what is not committed.
 *
 * @throws ToolError `unavailable` with the cause
 */
export async function openSqlite(file: string, { busyTimeout }: DriverOptions): Promise<SqliteDriver> {
  makeFolder(path.dirname(path.resolve(file)));
  const writing = openConnection(file);
  const writer = createWriter(writing, busyTimeout);
  try {
    // Another process that is making the file holds a lock against readers too while it does.
    let isMade = false;
    await writer.outside(() => {
      isMade = isCurrent(writing);
    });
    if (!isMade) await create(writing, writer);
  } catch (error) {
    writing.close();
    throw error;
  }
  const reading = openConnection(file, { readOnly: true });
  const inside = createReader(writing);
  const watched = watchFile(reading);
  return {
    ...createReader(reading),
    async prepare(kind) {
      if (!isPrepared(reading, kind)) await writer.transaction(async () => prepareKind(writing, kind));
    },
    async transaction(work) {
      const result = await writer.transaction(() => work(createTransaction(writing, inside, writer)));
      watched.look();
      return result;
    },
    watch: (listener) => watched.watch(listener),
    kinds: () => readLayouts(reading),
    scan: () => scan(file),
    check: async () => check(reading),
    async backup(to) {
      // All pages in one step: a copy in several begins again whenever another process writes in between.
      await copyDatabase(reading.database, to, { rate: everyPage }).catch((error: unknown) => {
        throw sqliteError(error);
      });
    },
    async end() {
      watched.end();
      await writer.idle();
      reading.close();
      writing.close();
    },
  };
}

/** Another process may be doing the same: what is to be done is looked at again under the write lock. */
async function create(connection: Connection, writer: ReturnType<typeof createWriter>): Promise<void> {
  await writer.outside(() => checkOwner(connection));
  await writer.outside(() => connection.exec("PRAGMA journal_mode = WAL"));
  await writer.transaction(async () => migrate(connection));
}

function createReader(connection: Connection): DriverReader {
  return {
    prepare() {},
    get(kind, workspace, id) {
      const row = connection.one(
        `SELECT id, generation, closed, data, ? AS workspace FROM ${recordTable(kind.name)}
         WHERE workspace = (SELECT number FROM workspace WHERE name = ?) AND id = ?`,
        workspace,
        workspace,
        id,
      );
      return row && toRow(row);
    },
    find: (kind, plan) => find(connection, kind, plan),
    generation: () => readGeneration(connection),
    workspaces: () => workspaces(connection),
  };
}

function workspaces(connection: Connection): readonly string[] {
  const kinds = readLayouts(connection);
  if (kinds.length === 0) return [];
  const used = kinds.map(({ name }) => `EXISTS (SELECT 1 FROM ${recordTable(name)} WHERE workspace = number)`);
  return connection
    .all(`SELECT name FROM workspace WHERE ${used.join(" OR ")} ORDER BY name`)
    .map(({ name }) => String(name));
}

/** On a connection of its own, whose transaction is the one moment. */
async function* scan(file: string): ReturnType<StoreDriver["scan"]> {
  const connection = openConnection(file, { readOnly: true });
  try {
    connection.exec("BEGIN");
    for (const kind of readLayouts(connection)) {
      yield { kind };
      for (const row of connection.iterate(everyRow(kind))) yield { kind, row: toRow(row) };
    }
  } finally {
    connection.close();
  }
}

function everyRow({ name }: KindLayout): string {
  return `SELECT r.id, r.generation, r.closed, r.data, w.name AS workspace
    FROM ${recordTable(name)} AS r JOIN workspace AS w ON w.number = r.workspace ORDER BY r.seq`;
}

function check(connection: Connection): readonly string[] {
  try {
    const found = connection.all("PRAGMA integrity_check").map(({ integrity_check: line }) => String(line));
    return found.filter((line) => line !== "ok");
  } catch (error) {
    // Some damage keeps SQLite from looking further.
    if (error instanceof ToolError) return [error.message];
    throw error;
  }
}
