/** The versions of the schema: migrations, and whether a file is a store of a known version. */
import { ToolError } from "@toolpacks/core";
import { isKindName } from "@toolpacks/store";
import { recordTable } from "@toolpacks/store-sql";
import { checkSchema } from "./check-schema.ts";
import { withSnapshot, type Connection } from "./connection.ts";
import { damagedError } from "./sqlite-error.ts";

/**
 * The migrations, each to the next schema version; the first one creates the tables. Released migrations are never edited; a change is a new entry.
 * The tests migrate a file of every released version in `fixtures`.
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
  run(`CREATE TABLE vector_set (
     number INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, missing INTEGER,
     changes INTEGER NOT NULL DEFAULT 0, UNIQUE (kind, name)
   ) STRICT;
   CREATE TABLE record_vector (
     vector_set INTEGER NOT NULL, workspace INTEGER NOT NULL, closed INTEGER NOT NULL, seq INTEGER NOT NULL, signs TEXT NOT NULL,
     PRIMARY KEY (vector_set, workspace, closed, seq)
   ) STRICT, WITHOUT ROWID;`),
];

function run(sql: string): (connection: Connection) => void {
  return (connection) => connection.exec(sql);
}

/** The application id of a store file ("tpck"), which distinguishes it from other SQLite databases. */
const applicationId = 0x74_70_63_6b;

/** Migrates the schema to this version. The caller holds the write lock, so it happens once. */
export function migrate(connection: Connection): void {
  checkOwner(connection);
  const version = number(connection, "user_version");
  for (const migrateOnce of migrations.slice(version)) migrateOnce(connection);
  connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
}

/**
 * Checks that the file is a store of this version or older.
 *
 * @throws ToolError `unavailable` when the file is another program's, of a newer version, or its schema has foreign statements
 */
export function checkOwner(connection: Connection): void {
  // In one snapshot: another process may create the schema between two reads.
  withSnapshot(connection, () => {
    if (number(connection, "application_id") !== applicationId && !isEmpty(connection)) {
      throw new ToolError(
        "unavailable",
        "the store: the file is another program's SQLite database",
        "Name another file.",
      );
    }
    const version = number(connection, "user_version");
    if (version < 0) throw damagedError(new Error(`the version of its schema is ${version}`));
    if (version > migrations.length) {
      throw new ToolError(
        "unavailable",
        `the store: its schema is version ${version}, and this program knows ${migrations.length}`,
        "A newer version of toolpacks wrote it; use that one.",
      );
    }
    checkSchema(connection, migrations.slice(0, version));
  });
}

/** The names of the tables and indexes that the schema lacks. */
export function missingObjects(connection: Connection): readonly string[] {
  return checkSchema(connection, migrations.slice(0, number(connection, "user_version")));
}

/** The version of the schema that a connection has checked. SQLite counts it up with each change of the schema. */
const checkedSchemas = new WeakMap<Connection, number>();

/** Checks the schema again if it has changed since the last check. @throws ToolError `unavailable` */
export function checkChangedSchema(connection: Connection): void {
  const version = number(connection, "schema_version");
  if (checkedSchemas.get(connection) === version) return;
  checkOwner(connection);
  checkedSchemas.set(connection, version);
}

/** Whether the file has no schema: nothing was ever written to it. */
export function isEmpty(connection: Connection): boolean {
  return connection.one("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
}

/** Whether the schema needs no migration. Needs no write lock. */
export function isCurrent(connection: Connection): boolean {
  return (
    number(connection, "user_version") === migrations.length && number(connection, "application_id") === applicationId
  );
}

function number(connection: Connection, pragma: string): number {
  return Number(connection.one(`PRAGMA ${pragma}`)?.[pragma]);
}
