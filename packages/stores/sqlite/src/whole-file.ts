import { rmSync } from "node:fs";
import { ToolError } from "@toolpacks/core";
import { makePrivateFile } from "@toolpacks/core/private-files";
import type { KindLayout, StoreDriver } from "@toolpacks/core/store";
import { recordTable } from "@toolpacks/store-sql";
import type { Connection } from "./connection.ts";
import { readLayouts } from "./kind-tables.ts";
import { backup as copyDatabase } from "./node-sqlite.ts";
import { damagedError, sqliteError } from "./sqlite-error.ts";
import { toRow } from "./to-row.ts";

/** More pages than a file can have. */
const everyPage = 2 ** 31 - 1;

/** Every row of every kind. It closes the connection, whose transaction is the one moment that the rows are of. */
export async function* scanFile(connection: Connection): ReturnType<StoreDriver["scan"]> {
  try {
    connection.exec("BEGIN");
    for (const kind of readLayouts(connection)) {
      yield { kind };
      for (const row of connection.iterate(everyRow(kind))) yield { kind, row: toRow(row) };
    }
  } catch (error) {
    // A table that its kind's layout names, and that is not there, is damage too.
    throw ToolError.is(error) ? error : damagedError(error);
  } finally {
    connection.close();
  }
}

function everyRow({ name }: KindLayout): string {
  return `SELECT r.id, r.generation, r.closed, r.data, w.name AS workspace
    FROM ${recordTable(name)} AS r JOIN workspace AS w ON w.number = r.workspace ORDER BY r.seq`;
}

/** What SQLite finds wrong with the file. */
export function checkFile(connection: Connection): readonly string[] {
  try {
    const found = connection.all("PRAGMA integrity_check").map(({ integrity_check: line }) => String(line));
    const problems = found.filter((line) => line !== "ok");
    return problems.length > 0 ? problems : unreadableKinds(connection);
  } catch (error) {
    // Some damage keeps SQLite from looking further.
    if (error instanceof ToolError) return [error.message];
    throw error;
  }
}

/** What an export of the store would fail on. */
function unreadableKinds(connection: Connection): readonly string[] {
  return readLayouts(connection).flatMap((kind) => {
    try {
      for (const row of connection.iterate(everyRow(kind))) toRow(row);
      return [];
    } catch (error) {
      return [`records of kind ${kind.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

/** Copies the file into a new one, with access for its owner alone. A copy that fails leaves no file. */
export async function copyFile({ database }: Connection, to: string): Promise<void> {
  try {
    makePrivateFile(to);
  } catch (cause) {
    throw new ToolError(
      "unavailable",
      `${to} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  try {
    // All pages in one step: a copy in several begins again whenever another process writes in between.
    await copyDatabase(database, to, { rate: everyPage });
  } catch (error) {
    rmSync(to, { force: true });
    throw sqliteError(error);
  }
}
