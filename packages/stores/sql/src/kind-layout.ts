/** The layout of a kind in a database: the names of its tables and indexes, and how a newer layout extends a stored one. */
import { createHash } from "node:crypto";
import { ToolError, type IndexedField } from "@toolpacks/core";
import { checkStoredLayout, type KindLayout } from "@toolpacks/store";

/**
 * The name of a table or index of a kind. The prefix and the double underscore keep it different from the names of other kinds and from names that
 * the database derives.
 */
export function kindObject(kind: string, what: string): string {
  return `kind_${kind}__${what}`;
}

/** The table that holds a kind's records. A kind's name is lower-case letters, digits and underscores. */
export function recordTable(kind: string): string {
  return kindObject(kind, "record");
}

/** Selects every record of a kind by age. */
export function everyRow({ name }: KindLayout): string {
  return `SELECT r.id, r.generation, r.closed, r.data, w.name AS workspace
    FROM ${recordTable(name)} AS r JOIN workspace AS w ON w.number = r.workspace ORDER BY r.seq`;
}

/** The name of an index: short enough for every database, and unique for its fields. */
export function indexName(kind: string, index: readonly IndexedField[]): string {
  const fields = index.map(({ path, type }) => `${path}:${type}`).join();
  const readable = index.map(({ path }) => path.replaceAll(/\W/g, "_")).join("_");
  const hash = createHash("sha1")
    .update(JSON.stringify([kind, fields]))
    .digest("hex")
    .slice(0, 8);
  return `kind_${kind.slice(0, 20)}__by_${readable.slice(0, 20)}_${hash}`;
}

export function isArrayField({ type }: IndexedField): boolean {
  return type === "strings" || type === "numbers";
}

/** Whether the stored layout of a kind includes everything of the wanted layout. */
export function includesLayout(known: KindLayout, wanted: KindLayout): boolean {
  const names = new Set(known.indexes.map((index) => indexName(wanted.name, index)));
  return (
    wanted.indexes.every((index) => names.has(indexName(wanted.name, index))) &&
    wanted.text.every((path) => known.text.includes(path))
  );
}

/**
 * Adds the stored indexes and text fields to the wanted layout, because another process may still use an older version of the kind.
 *
 * @throws ToolError `too_large` when the result is a layout that could not be read again
 */
export function mergeLayouts(known: KindLayout | undefined, wanted: KindLayout): KindLayout {
  const all = [...(known?.indexes ?? []), ...wanted.indexes];
  const text = [...new Set([...(known?.text ?? []), ...wanted.text])];
  const indexes = [...new Map(all.map((index) => [indexName(wanted.name, index), index])).values()];
  const merged = checkStoredLayout(wanted.name, { ...wanted, text, indexes });
  if (merged !== undefined) return merged;
  throw new ToolError("too_large", `kind ${wanted.name}: it has too many indexes or text fields, or too long ones`);
}
