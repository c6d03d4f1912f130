import type { IndexedField } from "@toolpacks/core";
import type { Sql } from "@toolpacks/store-sql";
import { sql } from "kysely";

/** Converts a path such as `owner.name` to a path for SQLite's JSON functions. */
function jsonPath(path: string): string {
  const names = path.split(".").map((name) => `.${JSON.stringify(name)}`);
  return `$${names.join("")}`;
}

/**
 * A field of a record, cast for comparisons. NULL if the record lacks it or has another type from an older schema. Numbers are REAL, as in
 * JavaScript. Indexes and queries must use the same expression.
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

/** The number of items of an array field. NULL if it is not an array. */
export function lengthSql(data: Sql, { path }: IndexedField): Sql {
  const at = sql.lit(jsonPath(path));
  return sql`CASE WHEN json_type(${data}, ${at}) = 'array' THEN json_array_length(${data}, ${at}) END`;
}
