import type { IndexedField } from "@toolpacks/core";
import { sql } from "kysely";
import type { Sql } from "@toolpacks/store-sql";

/**
 * A field of a record as the column type that it is compared by, or NULL where a record lacks it or holds another type (an
 * older schema's). Indexes and queries must say it in the same way.
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

/** An array field, as jsonb. */
export function arraySql(data: Sql, { path }: IndexedField): Sql {
  return sql`(${data} #> ${sql.lit(textArray(path.split(".")))}::text[])`;
}

/** How many items an array field has, or NULL. */
export function lengthSql(data: Sql, field: IndexedField): Sql {
  const array = arraySql(data, field);
  return sql`(CASE jsonb_typeof${array} WHEN 'array' THEN jsonb_array_length${array} END)`;
}

/** A literal of type text[]. */
function textArray(names: readonly string[]): string {
  return `{${names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(",")}}`;
}
