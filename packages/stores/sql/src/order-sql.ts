import { ToolError } from "@toolpacks/core";
import type { PlanField, QueryPlan } from "@toolpacks/core/store";
import { sql } from "kysely";
import { allOf } from "./predicate-sql.ts";
import type { Sql, SqlDialect } from "./sql-dialect.ts";

/** A sort key of the last row of a page, as the database gave it. */
type Key = string | number | boolean | null;

/** Where a sorted page ended: its last row's sort keys, then its age. */
type Place = readonly Key[];

/** `ORDER BY` that is total: after the sort fields by age, in the direction of the last of them. */
export function orderSql(dialect: SqlDialect, { sort }: QueryPlan, age: Sql): Sql {
  const direction = (descending: boolean) => (descending ? dialect.descending : dialect.ascending);
  const keys = sort.map(({ field, descending }) => sql`${dialect.scalar(field)} ${direction(descending)}`);
  return sql.join([...keys, sort.at(-1)?.descending === true ? sql`${age} DESC` : sql`${age} ASC`]);
}

/** What comes after a place in that order. NULL is below every value. */
export function afterSql(dialect: SqlDialect, plan: QueryPlan): Sql | undefined {
  if (plan.after === undefined) return undefined;
  const { sort } = plan;
  const place = readPlace(plan.after, sort);
  const columns = [
    ...sort.map(({ field, descending }) => ({ column: dialect.scalar(field), descending })),
    { column: sql`r.seq`, descending: sort.at(-1)?.descending === true },
  ];
  const cases = columns.map(({ column, descending }, at) => {
    const before = columns.slice(0, at).map((one, index) => same(one.column, place[index] ?? null));
    return allOf([...before, beyond(column, place[at] ?? null, descending)]);
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

/** @throws ToolError when it is not what an earlier page ended with */
function readPlace(value: unknown, sort: QueryPlan["sort"]): Place {
  const keys: readonly unknown[] = Array.isArray(value) ? value : [];
  const isRight = sort.every(({ field }, at) => isKeyOf(field, keys[at]));
  if (keys.length === sort.length + 1 && isRight && Number.isSafeInteger(keys.at(-1))) return keys as Place;
  throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
}

function isKeyOf({ path, type }: PlanField, key: unknown): boolean {
  if (key === null) return type !== "key";
  if (type === "key") return path === "id" ? isText(key) : Number.isSafeInteger(key);
  // SQLite keeps a boolean as 0 or 1.
  if (type === "boolean") return typeof key === "boolean" || key === 0 || key === 1;
  return type === "string" ? isText(key) : typeof key === "number";
}

function isText(key: unknown): boolean {
  return typeof key === "string" && key.isWellFormed() && !key.includes("\0");
}
