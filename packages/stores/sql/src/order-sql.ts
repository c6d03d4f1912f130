import { ToolError } from "@toolpacks/core";
import type { PlanField, QueryPlan } from "@toolpacks/core/store";
import { sql } from "kysely";
import { allOf } from "./predicate-sql.ts";
import type { Sql, SqlDialect } from "./sql-dialect.ts";

/** A sort key of the last row of a page, as the database returned it. */
type Key = string | number | boolean | null;

/** The position after a sorted page: the sort keys of its last row, then the age. */
type Position = readonly Key[];

/** The `ORDER BY` of a query: the sort fields, then the age in the direction of the last sort field. */
export function orderSql(dialect: SqlDialect, { sort }: QueryPlan, age: Sql): Sql {
  const direction = (descending: boolean) => (descending ? dialect.descending : dialect.ascending);
  const keys = sort.map(({ field, descending }) => sql`${dialect.scalar(field)} ${direction(descending)}`);
  return sql.join([...keys, sort.at(-1)?.descending === true ? sql`${age} DESC` : sql`${age} ASC`]);
}

/** The condition for rows after a position. NULL is below every value. */
export function afterSql(dialect: SqlDialect, plan: QueryPlan): Sql | undefined {
  if (plan.after === undefined) return undefined;
  const { sort } = plan;
  const position = readPosition(plan.after, sort);
  const columns = [
    ...sort.map(({ field, descending }) => ({ column: dialect.scalar(field), descending })),
    { column: sql`r.seq`, descending: sort.at(-1)?.descending === true },
  ];
  const cases = columns.map(({ column, descending }, at) => {
    const before = columns.slice(0, at).map((one, index) => same(one.column, position[index] ?? null));
    return allOf([...before, beyond(column, position[at] ?? null, descending)]);
  });
  return sql`(${sql.join(cases, sql` OR `)})`;
}

function same(column: Sql, key: Key): Sql {
  return key === null ? sql`${column} IS NULL` : sql`${column} = ${key}`;
}

function beyond(column: Sql, key: Key, descending: boolean): Sql {
  if (descending) return key === null ? sql`(1 = 0)` : sql`(${column} < ${key} OR ${column} IS NULL)`;
  return key === null ? sql`${column} IS NOT NULL` : sql`${column} > ${key}`;
}

/** The position after an earlier page. @throws ToolError when it is invalid */
function readPosition(value: unknown, sort: QueryPlan["sort"]): Position {
  const keys: readonly unknown[] = Array.isArray(value) ? value : [];
  const hasValidKeys = sort.every(({ field }, at) => isKeyOf(field, keys[at]));
  if (keys.length === sort.length + 1 && hasValidKeys && Number.isSafeInteger(keys.at(-1))) return keys as Position;
  throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
}

function isKeyOf({ path, type }: PlanField, key: unknown): boolean {
  if (key === null) return type !== "key";
  if (type === "key") return path === "id" ? isText(key) : Number.isSafeInteger(key);
  // SQLite stores a boolean as 0 or 1.
  if (type === "boolean") return typeof key === "boolean" || key === 0 || key === 1;
  return type === "string" ? isText(key) : typeof key === "number";
}

function isText(key: unknown): boolean {
  return typeof key === "string" && key.isWellFormed() && !key.includes("\0");
}
