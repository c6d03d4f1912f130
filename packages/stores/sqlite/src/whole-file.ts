/** What works on a whole file: a scan of every record, the check for damage, and the backup. */
import { rmSync } from "node:fs";
import { errorText, ToolError } from "@toolpacks/core";
import { makePrivateFile } from "@toolpacks/files";
import type { StoreDriver } from "@toolpacks/store";
import { everyRow } from "@toolpacks/store-sql";
import { backup as copyDatabase, toRow, type Connection } from "./connection.ts";
import { readLayouts } from "./kind-tables.ts";
import { missingObjects } from "./migrations.ts";
import { damagedError, sqliteError } from "./sqlite-error.ts";

/** A driver that can also copy its file while others write. */
export interface SqliteDriver extends StoreDriver {
  backup(file: string): Promise<void>;
}

/** Maximum number of pages of a SQLite file. */
const everyPage = 2 ** 31 - 1;

/** Every row of every kind, read in one transaction. Closes the connection at the end. */
export async function* scanFile(connection: Connection): ReturnType<StoreDriver["scan"]> {
  try {
    connection.exec("BEGIN");
    for (const kind of readLayouts(connection)) {
      yield { kind };
      for (const row of connection.iterate(everyRow(kind))) yield { kind, row: toRow(row) };
    }
  } catch (error) {
    // A missing table of a stored kind is damage too.
    throw ToolError.is(error) ? error : damagedError(error);
  } finally {
    connection.close();
  }
}

/** Finds the problems of a file. */
export function checkFile(connection: Connection): readonly string[] {
  try {
    const found = connection.all("PRAGMA integrity_check").map(({ integrity_check: line }) => String(line));
    const problems = found.filter((line) => line !== "ok");
    if (problems.length > 0) return problems;
    const missing = missingObjects(connection).map((name) => `the table or index ${name} is missing`);
    return [...missing, ...wrongSizes(connection), ...unreadableKinds(connection)];
  } catch (error) {
    // Some damage makes SQLite stop the check.
    if (error instanceof ToolError) return [error.message];
    throw error;
  }
}

/** Finds workspaces whose stored size no write can continue from. */
function wrongSizes(connection: Connection): readonly string[] {
  return connection
    .all("SELECT name FROM workspace WHERE bytes NOT BETWEEN 0 AND ?", Number.MAX_SAFE_INTEGER)
    .map(({ name }) => `the size of the workspace ${JSON.stringify(String(name).slice(0, 100))} is not valid`);
}

/** Finds kinds whose records cannot be exported. */
function unreadableKinds(connection: Connection): readonly string[] {
  return readLayouts(connection).flatMap((kind) => {
    try {
      for (const row of connection.iterate(everyRow(kind))) toRow(row);
      return [];
    } catch (error) {
      return [`records of kind ${kind.name} cannot be read: ${errorText(error)}`];
    }
  });
}

/** Copies the file into a new file that only its owner can access. A failed copy leaves no file. */
export async function copyFile({ database }: Connection, to: string): Promise<void> {
  try {
    makePrivateFile(to);
  } catch (cause) {
    throw new ToolError("unavailable", `${to} cannot be made: ${errorText(cause)}`);
  }
  try {
    // Copy all pages in one step. Otherwise the copy starts again whenever another process writes.
    await copyDatabase(database, to, { rate: everyPage });
  } catch (error) {
    rmSync(to, { force: true });
    throw sqliteError(error);
  }
}
