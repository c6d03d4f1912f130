import type { IndexedField } from "@toolpacks/core";
import type { Sql } from "@toolpacks/store-sql";
import { sql } from "kysely";

/** `owner.name` as SQLite's JSON functions take it. */
function jsonPath(path: string): string {
  const names = path.split(".").map((name) => `.${JSON.stringify(name)}`);
  return `$${names.join("")}`;
}

/**
 * A field of a record as it is compared, or NULL where a record lacks it or holds another type (an older schema's). Numbers are REAL, as they
 * are in JavaScript. Indexes and queries must say it in the same way.
 */
export function scalarSql(data: Sql, { path, type }: IndexedField): Sql {
  const at = sql.lit(jsonPath(path));
  const value = sql`json_extract(${data}, ${at})`;
  switch (type) {
    case "number":
      return sql`CASE WHEN json_type(${data}, ${at}) IN ('integer', 'real') THEN CAST(${value} AS REAL) END`;
    case "boolean":
      return sql`CASE WHEN json_type(${data}, ${at}) IN ('true', 'false') THEN ${value} END`;
    default:
      return sql`CASE WHEN json_type(${data}, ${at}) = 'text' THEN ${value} END`;
  }
}

/** How many items an array field has, or NULL where it is no array. */
export function lengthSql(data: Sql, { path }: IndexedField): Sql {
  const at = sql.lit(jsonPath(path));
  return sql`CASE WHEN json_type(${data}, ${at}) = 'array' THEN json_array_length(${data}, ${at}) END`;
}
