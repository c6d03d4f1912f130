/** The versions of the schema, and how an older one is migrated. */
import { ToolError } from "@toolpacks/core";
import { isKindName } from "@toolpacks/store";
import { recordTable } from "@toolpacks/store-sql";
import type { Connection, Database } from "./database.ts";
import { withoutDeadline } from "./deadline.ts";
import { damagedError } from "./postgres-error.ts";

/** The migrations, each to the next schema version. Released migrations are never edited; a change is a new entry. */
const migrations: readonly ((connection: Connection) => Promise<void>)[] = [
  run(`CREATE TABLE toolpacks (generation bigint NOT NULL);
   INSERT INTO toolpacks (generation) VALUES (0);
   CREATE TABLE workspace (number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE);
   CREATE TABLE kind (name text PRIMARY KEY, layout jsonb NOT NULL);
   CREATE TABLE operation (
     workspace integer NOT NULL, id text COLLATE "C" NOT NULL, generation bigint NOT NULL, request text NOT NULL, answer jsonb NOT NULL,
     PRIMARY KEY (workspace, id)
   );
   CREATE INDEX operation_by_generation ON operation (generation);
   CREATE TABLE writer (id uuid PRIMARY KEY, serial bigint NOT NULL, seen timestamptz NOT NULL);`),
  async (connection) => {
    await connection.query("ALTER TABLE workspace ADD COLUMN bytes bigint NOT NULL DEFAULT 0");
    const kinds = await connection.query("SELECT name FROM kind");
    const names = kinds.map(({ name }) => {
      if (!isKindName(name)) throw damagedError("the name of a kind is not valid");
      return name;
    });
    for (const [table, column] of [["operation", "answer"], ...names.map((name) => [recordTable(name), "data"])]) {
      await connection.query(`
        UPDATE workspace SET bytes = bytes + used.size
        FROM (SELECT workspace, sum(octet_length(${column}::text)) AS size FROM ${table} GROUP BY workspace) AS used
        WHERE number = used.workspace`);
    }
  },
  run(`CREATE TABLE vector_set (
     number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text NOT NULL, name text NOT NULL, missing bigint, UNIQUE (kind, name)
   );
   CREATE TABLE record_vector (
     vector_set integer NOT NULL, workspace integer NOT NULL, closed smallint NOT NULL, seq bigint NOT NULL, signs bit(384) NOT NULL,
     PRIMARY KEY (vector_set, workspace, closed, seq)
   );`),
];

function run(sql: string): (connection: Connection) => Promise<void> {
  return async (connection) => void (await connection.query(sql));
}

/** The number of the advisory lock for migrations. All stores of a server share it. */
export const migrationLock = 7_470_636;

/**
 * Migrates the schema to this version, once, even if several processes start together.
 *
 * @throws ToolError `unavailable` when a newer version created the schema
 */
export async function migrate(database: Database, schema: string): Promise<void> {
  if ((await schemaVersion(database, schema)) === migrations.length) return;
  await database.retry(() =>
    database.withConnection((connection) =>
      withoutDeadline(async () => {
        await connection.query("BEGIN");
        await connection.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
        const version = await schemaVersion(connection, schema);
        if (version > migrations.length) {
          throw new ToolError(
            "unavailable",
            `the store: its schema is version ${version}, and this program knows ${migrations.length}`,
            "A newer version of toolpacks made it; use that one.",
          );
        }
        if (version === 0) {
          await connection.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
          await connection.query("CREATE TABLE schema_version (version integer NOT NULL)");
          await connection.query("INSERT INTO schema_version VALUES (0)");
        }
        for (const migrateOnce of migrations.slice(version)) await migrateOnce(connection);
        await connection.query("UPDATE schema_version SET version = $1", [migrations.length]);
        await connection.query("COMMIT");
      }),
    ),
  );
}

async function schemaVersion(connection: Pick<Database, "query">, schema: string): Promise<number> {
  // to_regclass may return a result from before the lock.
  const found = await connection.query("SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'", [
    schema,
  ]);
  if (found.length === 0) return 0;
  return Number((await connection.query("SELECT version FROM schema_version"))[0]?.["version"]);
}
