/** The words and array items of one record in the indexes of its kind. */
import { isDeepStrictEqual } from "node:util";
import type { RecordData } from "@toolpacks/core";
import { recordWords, valueAt, type KindLayout } from "@toolpacks/store";
import { isArrayField } from "@toolpacks/store-sql";
import type { Connection } from "./connection.ts";
import { itemTable, textTable } from "./sqlite-dialect.ts";

interface IndexedRow {
  readonly seq: number;
  readonly data: RecordData;
}

interface ChangedRow extends IndexedRow {
  /** The data that is indexed now. Undefined for a new record, or if it is not known. */
  readonly before?: RecordData | undefined;
}

/**
 * Replaces a record's words and array items in the indexes. Unchanged fields are not indexed again.
 */
export function indexRow(connection: Connection, kind: KindLayout, { seq, data, before }: ChangedRow): void {
  if (kind.text.length > 0 && !(before !== undefined && sameFields(kind.text, before, data))) {
    const words = recordWords(data, kind.text);
    connection.run(
      `INSERT OR REPLACE INTO ${textTable(kind.name)} (rowid, first, rest) VALUES (?, ?, ?)`,
      seq,
      words.first.join(" "),
      words.rest.join(" "),
    );
  }
  if (before !== undefined && sameFields(arrayFields(kind), before, data)) return;
  if (before !== undefined) removeItems(connection, kind, { seq, data: before });
  for (const [field, value] of items(kind, data)) {
    connection.run(
      `INSERT OR IGNORE INTO ${itemTable(kind.name)} (field, value, seq) VALUES (?, ?, ?)`,
      field,
      value,
      seq,
    );
  }
}

function sameFields(fields: readonly string[], before: RecordData, after: RecordData): boolean {
  return fields.every((field) => isDeepStrictEqual(valueAt(before, field), valueAt(after, field)));
}

/** Removes a record's array items from the index. `removeWords` removes its words. */
export function removeItems(connection: Connection, kind: KindLayout, { seq, data }: IndexedRow): void {
  for (const [field, value] of items(kind, data)) {
    connection.run(`DELETE FROM ${itemTable(kind.name)} WHERE field = ? AND value = ? AND seq = ?`, field, value, seq);
  }
}

export function removeWords(connection: Connection, kind: KindLayout, seq: number): void {
  if (kind.text.length > 0) connection.run(`DELETE FROM ${textTable(kind.name)} WHERE rowid = ?`, seq);
}

/** The paths of the array fields of a kind. */
export function arrayFields(kind: KindLayout): readonly string[] {
  return kind.indexes.flatMap(([field]) => (field !== undefined && isArrayField(field) ? [field.path] : []));
}

function items(kind: KindLayout, data: RecordData): readonly (readonly [field: string, value: string | number])[] {
  return arrayFields(kind).flatMap((field) => {
    const value = valueAt(data, field);
    if (!Array.isArray(value)) return [];
    return value.flatMap((item) =>
      typeof item === "string" || typeof item === "number" ? [[field, item] as const] : [],
    );
  });
}
