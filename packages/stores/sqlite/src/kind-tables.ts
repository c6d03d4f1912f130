/** The tables and indexes of a kind, and the layout that is stored with them. */
import type { RecordData } from "@toolpacks/core";
import { checkStoredLayout, type KindLayout } from "@toolpacks/store";
import { includesLayout, indexName, isArrayField, kindObject, mergeLayouts, recordTable } from "@toolpacks/store-sql";
import { sql } from "kysely";
import { parseStored, type Connection } from "./connection.ts";
import { arrayFields, indexRow } from "./index-row.ts";
import { ageIndex, itemTable, lengthSql, scalarSql, sqliteDialect, textTable } from "./sqlite-dialect.ts";
import { damagedError } from "./sqlite-error.ts";

/** Whether a kind's tables and indexes match its layout. */
export function hasKindTables(connection: Connection, kind: KindLayout): boolean {
  const known = readLayout(connection, kind.name);
  return known !== undefined && includesLayout(known, kind);
}

/**
 * Creates a kind's tables, or adds the indexes of a newer version of the kind. Old indexes are kept, because another process may still use the older
 * version. New text and array fields are indexed for existing records.
 */
export function ensureKindTables(connection: Connection, kind: KindLayout): void {
  const known = readLayout(connection, kind.name);
  if (known !== undefined && includesLayout(known, kind)) return;
  if (known === undefined) connection.exec(createTableSql(kind.name));
  const merged = mergeLayouts(known, kind);
  const before = new Set(known?.indexes.map((index) => indexName(kind.name, index)));
  const added = merged.indexes.filter((index) => !before.has(indexName(kind.name, index)));
  for (const index of added) connection.exec(createIndexSql(kind.name, index));
  if (known !== undefined && needsReindex(merged, known)) reindex(connection, merged);
  connection.run("INSERT OR REPLACE INTO kind (name, layout) VALUES (?, ?)", kind.name, JSON.stringify(merged));
}

/** Parses a stored layout and checks it, because SQL is built from its names. @throws ToolError `unavailable` when it is invalid */
function parseLayout(name: unknown, text: unknown): KindLayout {
  const layout = checkStoredLayout(name, parseStored(text));
  if (layout !== undefined) return layout;
  throw damagedError(new Error(`the layout of the kind ${JSON.stringify(name)} is not valid`));
}

const parsed = new WeakMap<Connection, Map<string, KindLayout>>();

/** The current layout of a kind. Each version of it is parsed once. Undefined: it has no tables. */
export function readLayout(connection: Connection, name: string): KindLayout | undefined {
  const stored = connection.one("SELECT layout FROM kind WHERE name = ?", name);
  if (stored === undefined) return undefined;
  const text = String(stored["layout"]);
  const known = parsed.get(connection) ?? new Map<string, KindLayout>();
  parsed.set(connection, known);
  const layout = known.get(text) ?? parseLayout(name, text);
  known.set(text, layout);
  return layout;
}

export function readLayouts(connection: Connection): readonly KindLayout[] {
  return connection
    .all("SELECT name, layout FROM kind ORDER BY name")
    .map(({ name, layout }) => parseLayout(name, layout));
}

/** The statements that create a kind's tables. */
export function createTableSql(kind: string): string {
  const table = recordTable(kind);
  return `
    CREATE TABLE ${table} (
      seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL, generation INTEGER NOT NULL,
      closed INTEGER NOT NULL, data TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX ${kindObject(kind, "by_id")} ON ${table} (workspace, id);
    CREATE INDEX ${ageIndex(kind)} ON ${table} (workspace, closed);
    CREATE INDEX ${kindObject(kind, "by_generation")} ON ${table} (workspace, generation);
    CREATE TABLE ${itemTable(kind)} (
      field TEXT NOT NULL, value ANY NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (field, value, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE ${textTable(kind)} USING fts5 (
      first, rest, content='', contentless_delete=1, tokenize='ascii'
    );`;
}

/** The statement that creates an index, as SQLite stores it. */
export function createIndexSql(kind: string, index: KindLayout["indexes"][number]): string {
  const data = sql`data`;
  const columns = index.map((field) => {
    const column = isArrayField(field) ? lengthSql(data, field) : scalarSql(data, field);
    return sqliteDialect.compile(column).sql;
  });
  return `CREATE INDEX "${indexName(kind, index)}" ON ${recordTable(kind)} (workspace, closed, ${columns.join(", ")})`;
}

function needsReindex(merged: KindLayout, known: KindLayout): boolean {
  return String(arrayFields(merged)) !== String(arrayFields(known)) || String(merged.text) !== String(known.text);
}

function reindex(connection: Connection, kind: KindLayout): void {
  const { name } = kind;
  connection.exec(
    `DELETE FROM ${itemTable(name)}; INSERT INTO ${textTable(name)} (${textTable(name)}) VALUES ('delete-all')`,
  );
  for (const { seq, data } of connection.iterate(`SELECT seq, data FROM ${recordTable(name)}`)) {
    const record = parseStored(data) as RecordData;
    indexRow(connection, kind, { seq: Number(seq), data: record });
  }
}
