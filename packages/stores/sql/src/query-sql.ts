/** A query as SQL: its filter, its order with the position of a page, and its count. */
import { ToolError } from "@toolpacks/core";
import type { KindLayout, PlanField, Predicate, QueryPlan } from "@toolpacks/store";
import { sql } from "kysely";
import { isArrayField, recordTable } from "./kind-layout.ts";
import type { QuerySource, Sql, SqlDialect } from "./sql-dialect.ts";

/** A kind's table with the alias `r`, which conditions use. */
export function fromSql(kind: KindLayout): Sql {
  return sql`${sql.table(recordTable(kind.name))} AS r`;
}

/** `FROM … WHERE …` for all matching records, on all pages. */
export function matchingSql(dialect: SqlDialect, kind: KindLayout, source: QuerySource): Sql {
  const { from, conditions, rest } = source;
  return sql`FROM ${from} WHERE ${allOf([...conditions, whereSql(dialect, kind, rest)])}`;
}

function whereSql(dialect: SqlDialect, kind: KindLayout, plan: QuerySource["rest"]): Sql {
  const { workspaces, sinceGeneration, where } = plan;
  const scope = (condition: Predicate | undefined) =>
    allOf([inWorkspaces(dialect.workspace(condition), workspaces), ...closedSql(plan)]);
  return allOf([
    scope(where),
    ...(sinceGeneration === undefined ? [] : [sql`r.generation > ${sinceGeneration}`]),
    ...(where === undefined ? [] : [predicateSql({ dialect, kind, scope }, where)]),
  ]);
}

/** The page of a sorted query: the record's columns and its sort keys as `k0`, `k1`, … It reads one row more than the limit. */
export function pageSql(dialect: SqlDialect, kind: KindLayout, plan: QueryPlan): Sql {
  const keys = plan.sort.map(({ field }, at) => sql`, ${dialect.scalar(field)} AS ${sql.ref(`k${at}`)}`);
  const after = afterSql(dialect, plan);
  const source = dialect.source(kind, plan);
  return sql`SELECT ${rowColumns}${sql.join(keys, sql``)} ${matchingSql(dialect, kind, source)}
    ${after === undefined ? sql`` : sql`AND ${after}`} ORDER BY ${orderSql(dialect, plan, source.age)} LIMIT ${plan.limit + 1}`;
}

/** The columns of a row, with the workspace's name. */
export const rowColumns = sql`r.seq, r.id, r.generation, r.closed, r.data,
  (SELECT name FROM workspace WHERE number = r.workspace) AS workspace`;

/** Counts the matches as `total`, up to one more than the plan's `countTo`. */
export function countSql(dialect: SqlDialect, kind: KindLayout, plan: QueryPlan): Sql {
  const matching = matchingSql(dialect, kind, dialect.source(kind, { ...plan, sort: [] }));
  if (plan.countTo === undefined) return sql`SELECT count(*) AS total ${matching}`;
  return sql`SELECT count(*) AS total FROM (SELECT 1 ${matching} LIMIT ${plan.countTo + 1}) AS counted`;
}

/** The condition on `closed`. With `includeClosed` it names both values, so that indexes with `closed` before a field can be used. */
function closedSql({ includeClosed, where }: QuerySource["rest"]): readonly Sql[] {
  if (!includeClosed) return [sql`r.closed = 0`];
  return where === undefined ? [] : [sql`r.closed IN (0, 1)`];
}

/** The condition on the workspace. For every workspace it names all of them, so that indexes that begin with the workspace can be used. */
function inWorkspaces(column: Sql, names: readonly string[] | "every"): Sql {
  if (names === "every") return sql`${column} IN (SELECT number FROM workspace)`;
  const [only] = names;
  if (names.length === 1) return sql`${column} = (SELECT number FROM workspace WHERE name = ${only})`;
  return sql`${column} IN (SELECT number FROM workspace WHERE name IN (${sql.join([...names])}))`;
}

/** A sort key of the last row of a page, as the database returned it. */
type Key = string | number | boolean | null;

/** The position after a sorted page: the sort keys of its last row, then the age. */
type Position = readonly Key[];

/** The `ORDER BY` of a query: the sort fields, then the age in the direction of the last sort field. */
function orderSql(dialect: SqlDialect, { sort }: QueryPlan, age: Sql): Sql {
  const direction = (descending: boolean) => (descending ? dialect.descending : dialect.ascending);
  const keys = sort.map(({ field, descending }) => sql`${dialect.scalar(field)} ${direction(descending)}`);
  return sql.join([...keys, sort.at(-1)?.descending === true ? sql`${age} DESC` : sql`${age} ASC`]);
}

/** The position after a row of a sorted page. */
export function positionOf({ sort }: QueryPlan, row: Readonly<Record<string, unknown>> | undefined): unknown {
  return [...sort.map((_, key) => row?.[`k${key}`] ?? null), row?.["seq"]];
}

/** The condition for rows after a position. NULL is below every value. */
function afterSql(dialect: SqlDialect, plan: QueryPlan): Sql | undefined {
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

const comparisons = { eq: sql`=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** The query that a filter belongs to. */
interface Subject {
  readonly dialect: SqlDialect;
  readonly kind: KindLayout;
  /** The condition on the first columns of every index. Each branch of an OR repeats it, so that the branch can use an index. */
  readonly scope: (condition: Predicate | undefined) => Sql;
}

/**
 * Converts a validated filter to SQL. A condition on a missing field is NULL, which AND and OR treat as false. For NOT, COALESCE makes it false.
 */
function predicateSql(subject: Subject, predicate: Predicate): Sql {
  const { dialect, kind, scope } = subject;
  const inner = (one: Predicate) => predicateSql(subject, one);
  switch (predicate.op) {
    case "and":
      return allOf(predicate.of.map(inner));
    case "or":
      if (predicate.of.length === 0) return sql`(1 = 0)`;
      return sql`(${sql.join(
        predicate.of.map((one) => allOf([scope(one), inner(one)])),
        sql` OR `,
      )})`;
    case "not":
      return predicate.of.op === "exists"
        ? absent(dialect, predicate.of.field)
        : sql`NOT COALESCE(${inner(predicate.of)}, 1 = 0)`;
    case "in": {
      const { field, values } = predicate;
      if (values.length === 0) return sql`(1 = 0)`;
      return sql`${dialect.scalar(field)} IN (${sql.join(values.map((value) => dialect.bound(field, value)))})`;
    }
    case "contains":
      return dialect.contains(kind, predicate.field, predicate.value);
    case "exists":
      return present(dialect, predicate.field);
    default: {
      const { op, field, value } = predicate;
      return sql`${dialect.scalar(field)} ${comparisons[op]} ${dialect.bound(field, value)}`;
    }
  }
}

function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`(1 = 1)` : sql`(${sql.join([...conditions], sql` AND `)})`;
}

function present(dialect: SqlDialect, field: PlanField): Sql {
  if (field.type !== "key" && isArrayField(field)) return sql`${dialect.length(field)} > 0`;
  return sql`${dialect.scalar(field)} IS NOT NULL`;
}

function absent(dialect: SqlDialect, field: PlanField): Sql {
  if (field.type !== "key" && isArrayField(field)) return sql`NOT COALESCE(${present(dialect, field)}, 1 = 0)`;
  return sql`${dialect.scalar(field)} IS NULL`;
}
