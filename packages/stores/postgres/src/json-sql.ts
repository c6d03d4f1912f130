import type { IndexedField } from "@toolpacks/core";
import { sql } from "kysely";
import type { Sql } from "@toolpacks/store-sql";

/**
 * A field of a record, cast to the type for comparisons. NULL if the record lacks it or has another type from an older schema. Indexes and queries
 * must use the same expression.
 */
export function scalarSql(data: Sql, { path, type }: IndexedField): Sql {
  const keys = sql.lit(textArray(path.split(".")));
  const value = sql`(${data} #> ${keys}::text[])`;
  const text = sql`(${data} #>> ${keys}::text[])`;
  switch (type) {
    case "number":
      return sql`(CASE jsonb_typeof${value} WHEN 'number' THEN ${text}::double precision END)`;
    case "boolean":
      return sql`(CASE jsonb_typeof${value} WHEN 'boolean' THEN ${text}::boolean END)`;
    default:
      return sql`((CASE jsonb_typeof${value} WHEN 'string' THEN ${text} END) COLLATE "C")`;
  }
}

/** An array field as jsonb. */
export function arraySql(data: Sql, { path }: IndexedField): Sql {
  return sql`(${data} #> ${sql.lit(textArray(path.split(".")))}::text[])`;
}

/** The number of items of an array field, or NULL. */
export function lengthSql(data: Sql, field: IndexedField): Sql {
  const array = arraySql(data, field);
  return sql`(CASE jsonb_typeof${array} WHEN 'array' THEN jsonb_array_length${array} END)`;
}

/** A literal of type text[]. */
function textArray(names: readonly string[]): string {
  return `{${names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(",")}}`;
}
