/** The table and indexes of a kind, and the layout that is stored with them. */
import type { IndexedField } from "@toolpacks/core";
import { checkStoredLayout, recordWords, type KindLayout } from "@toolpacks/store";
import { includesLayout, indexName, isArrayField, kindObject, mergeLayouts, recordTable } from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection } from "./database.ts";
import { withoutDeadline } from "./deadline.ts";
import { damagedError } from "./postgres-error.ts";
import { arraySql, lengthSql, postgresDialect, scalarSql, textVector } from "./postgres-dialect.ts";

/** Number of rows per query when words are rebuilt. */
const batchSize = 500;
/** An index of words or items without a list of pending entries, which each query would read. */
const itemIndex = "WITH (fastupdate = off)";

/** Whether a kind's table and indexes match its layout. */
export async function hasKindTables(connection: Connection, kind: KindLayout): Promise<boolean> {
  const known = await readLayout(connection, kind.name);
  return known !== undefined && includesLayout(known, kind);
}

/** Creates a kind's table, or adds the indexes of a newer version of the kind, inside the writer's transaction. */
export async function ensureKindTables(connection: Connection, kind: KindLayout): Promise<void> {
  const known = await readLayout(connection, kind.name);
  if (known !== undefined && includesLayout(known, kind)) return;
  await withoutDeadline(() => createTables(connection, kind, known));
}

async function createTables(connection: Connection, kind: KindLayout, known: KindLayout | undefined): Promise<void> {
  if (known === undefined) await connection.query(createTableSql(kind.name));
  const merged = mergeLayouts(known, kind);
  for (const index of merged.indexes)
    for (const statement of createIndex(kind.name, index)) await connection.query(statement);
  if (known !== undefined && String(known.text) !== String(merged.text)) await rebuildWords(connection, merged);
  await connection.query(
    "INSERT INTO kind (name, layout) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET layout = EXCLUDED.layout",
    [kind.name, JSON.stringify(merged)],
  );
}

export async function readLayout(connection: Connection, name: string): Promise<KindLayout | undefined> {
  const [found] = await connection.query("SELECT layout FROM kind WHERE name = $1", [name]);
  return found && checkedLayout(name, found["layout"]);
}

export async function readLayouts(connection: Connection): Promise<readonly KindLayout[]> {
  const kinds = await connection.query("SELECT name, layout FROM kind ORDER BY name");
  return kinds.map(({ name, layout }) => checkedLayout(name, layout));
}

/** Checks a stored layout, because SQL is built from its names. @throws ToolError `unavailable` when it is invalid */
function checkedLayout(name: unknown, stored: unknown): KindLayout {
  const layout = checkStoredLayout(name, stored);
  if (layout === undefined) throw damagedError(`the layout of the kind ${JSON.stringify(name)} is not valid`);
  return layout;
}

function createTableSql(kind: string): string {
  const table = recordTable(kind);
  return `
    CREATE TABLE ${table} (
      seq bigint PRIMARY KEY, workspace integer NOT NULL, id text COLLATE "C" NOT NULL, generation bigint NOT NULL,
      closed smallint NOT NULL, data jsonb NOT NULL, words tsvector NOT NULL
    );
    CREATE UNIQUE INDEX ${kindObject(kind, "by_id")} ON ${table} (workspace, id);
    CREATE INDEX ${kindObject(kind, "by_age")} ON ${table} (workspace, closed, seq);
    CREATE INDEX ${kindObject(kind, "by_generation")} ON ${table} (workspace, generation);
    CREATE INDEX ${kindObject(kind, "by_words")} ON ${table} USING gin (words) ${itemIndex};`;
}

function createIndex(kind: string, index: readonly IndexedField[]): readonly string[] {
  const data = sql`data`;
  const name = indexName(kind, index);
  const table = recordTable(kind);
  const text = (part: Parameters<typeof postgresDialect.compile>[0]) => postgresDialect.compile(part).sql;
  const [field] = index;
  if (field !== undefined && isArrayField(field)) {
    return [
      `CREATE INDEX IF NOT EXISTS "${name}" ON ${table} USING gin (${text(arraySql(data, field))} jsonb_path_ops) ${itemIndex}`,
      `CREATE INDEX IF NOT EXISTS "${name}_n" ON ${table} (workspace, closed, ${text(lengthSql(data, field))}, seq)`,
    ];
  }
  const columns = index.map((one) => `${text(scalarSql(data, one))} NULLS FIRST`);
  return [`CREATE INDEX IF NOT EXISTS "${name}" ON ${table} (workspace, closed, ${columns.join(", ")}, seq)`];
}

async function rebuildWords(connection: Connection, kind: KindLayout): Promise<void> {
  const table = recordTable(kind.name);
  for (let after = 0; ;) {
    const rows = await connection.query(
      `SELECT seq, data FROM ${table} WHERE seq > $1 ORDER BY seq LIMIT ${batchSize}`,
      [after],
    );
    for (const { seq, data } of rows) {
      const words = textVector(recordWords(data as Record<string, unknown>, kind.text));
      await connection.query(`UPDATE ${table} SET words = $2::tsvector WHERE seq = $1`, [seq, words]);
    }
    if (rows.length < batchSize) return;
    after = Number(rows.at(-1)?.["seq"]);
  }
}
