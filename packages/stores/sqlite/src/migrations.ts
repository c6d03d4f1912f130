import { ToolError } from "@toolpacks/core";
import { isKindName } from "@toolpacks/core/store";
import { recordTable } from "@toolpacks/store-sql";
import type { Connection } from "./connection.ts";
import { damagedError } from "./sqlite-error.ts";

/**
 * Each brings a file one version up; the first makes an empty one. What was released is never edited: a change is a new entry, and a
 * file of every released version is in `fixtures` for the tests to bring up.
 */
export const migrations: readonly ((connection: Connection) => void)[] = [
  run(`CREATE TABLE toolpacks (generation INTEGER NOT NULL) STRICT;
   INSERT INTO toolpacks (generation) VALUES (0);
   CREATE TABLE workspace (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
   CREATE TABLE kind (name TEXT PRIMARY KEY, layout TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE operation (
     workspace INTEGER NOT NULL, id TEXT NOT NULL, generation INTEGER NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL,
     PRIMARY KEY (workspace, id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX operation_by_generation ON operation (generation);`),
  (connection) => {
    connection.exec(`
      ALTER TABLE toolpacks ADD COLUMN store_id TEXT NOT NULL DEFAULT '';
      UPDATE toolpacks SET store_id = lower(hex(randomblob(16)));
      ALTER TABLE workspace ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
      UPDATE workspace SET bytes = (SELECT coalesce(sum(octet_length(answer)), 0) FROM operation WHERE workspace = number);`);
    for (const { name } of connection.all("SELECT name FROM kind")) {
      if (!isKindName(name)) throw damagedError(new Error("the name of a kind is not valid"));
      connection.exec(
        `UPDATE workspace SET bytes = bytes +
          (SELECT coalesce(sum(octet_length(data)), 0) FROM ${recordTable(name)} WHERE workspace = number)`,
      );
    }
  },
];

function run(sql: string): (connection: Connection) => void {
  return (connection) => connection.exec(sql);
}

/** Marks a SQLite file as a store ("tpck"), so that no other database is taken for one. */
const applicationId = 0x74_70_63_6b;

/** Brings the schema up to this version, under the write lock that the caller holds, so that it happens once. */
export function migrate(connection: Connection): void {
  checkOwner(connection);
  const version = number(connection, "user_version");
  for (const migrateOnce of migrations.slice(version)) migrateOnce(connection);
  connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
}

/**
 * Checks whose file it is.
 *
 * @throws ToolError `unavailable` when the file is another program's, of a newer version, or its schema holds what this program never makes
 */
export function checkOwner(connection: Connection): void {
  if (number(connection, "application_id") !== applicationId && !isEmpty(connection)) {
    throw new ToolError(
      "unavailable",
      "the store: the file is another program's SQLite database",
      "Name another file.",
    );
  }
  const version = number(connection, "user_version");
  if (version > migrations.length) {
    throw new ToolError(
      "unavailable",
      `the store: its schema is version ${version}, and this program knows ${migrations.length}`,
      "A newer version of toolpacks wrote it; use that one.",
    );
  }
  checkSchema(connection);
}

/** SQLite stores every statement of a schema in this form. The one kind of virtual table is the full-text index of a kind. */
const ownStatement = /^CREATE (TABLE |INDEX |UNIQUE INDEX |VIRTUAL TABLE kind_[a-z][a-z0-9_]*__text USING fts5\b)/;

/** A view, a trigger or another virtual table would run what its author wants in a statement of ours. */
function checkSchema(connection: Connection): void {
  const statements = connection.all("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  const foreign = statements.find(({ sql }) => !ownStatement.test(String(sql)));
  if (foreign === undefined) return;
  throw damagedError(new Error(`its schema holds ${JSON.stringify(foreign["name"])}, which is not the store's`));
}

/** Whether nothing was ever written to the file. */
export function isEmpty(connection: Connection): boolean {
  return connection.one("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
}

/** Whether nothing is to be done, which can be told without the write lock. */
export function isCurrent(connection: Connection): boolean {
  return (
    number(connection, "user_version") === migrations.length && number(connection, "application_id") === applicationId
  );
}

/** The id that a store keeps for life. Its backups have it too. */
export function readStoreId(connection: Connection): string {
  return String(connection.one("SELECT store_id FROM toolpacks")?.["store_id"]);
}

function number(connection: Connection, pragma: string): number {
  return Number(connection.one(`PRAGMA ${pragma}`)?.[pragma]);
}
