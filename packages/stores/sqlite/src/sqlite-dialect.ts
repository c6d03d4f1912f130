/** SQLite's SQL for kinds and queries: the names of a kind's tables, fields as expressions, and where a query starts. */
import type { IndexedField } from "@toolpacks/core";
import type { KindLayout, Predicate, QueryPlan } from "@toolpacks/store";
import { fromSql, indexName, kindObject, type QuerySource, type Sql, type SqlDialect } from "@toolpacks/store-sql";
import { Kysely, sql, SqliteDialect } from "kysely";

/** Compiles queries. It does not run them. */
const builder = new Kysely<unknown>({ dialect: new SqliteDialect({ database: () => Promise.reject() }) });

const dataColumn = sql`r.data`;

export const sqliteDialect: SqlDialect = {
  compile: (query) => query.compile(builder),
  source: querySource,
  // The plus prevents SQLite from using an index of the workspace if an array item finds few records.
  workspace: (condition) => (startsFromFew(condition) ? sql`+r.workspace` : sql`r.workspace`),
  scalar: (field) => (field.type === "key" ? sql.ref(`r.${field.path}`) : scalarSql(dataColumn, field)),
  bound: (_field, value) => (typeof value === "boolean" ? Number(value) : value),
  contains: (kind, { path }, value) =>
    sql`r.seq IN (SELECT seq FROM ${sql.table(itemTable(kind.name))} WHERE field = ${path} AND value = ${value})`,
  length: (field) => lengthSql(dataColumn, field),
  ascending: sql`ASC`,
  descending: sql`DESC`,
};

/** Whether the query starts from few records: from an array item, or from the branches of an OR, each of which is searched separately. */
function startsFromFew(where: Predicate | undefined): boolean {
  const conjuncts = conjunctsOf(where);
  const isAlternatives = conjuncts.every(({ op }) => op === "or");
  return conjuncts.length > 0 && (isAlternatives || conjuncts.some(({ op }) => op === "contains"));
}

/** The full-text index of a kind, over the words of its records. */
export function textTable(kind: string): string {
  return kindObject(kind, "text");
}

/** Items of array fields, one row each. */
export function itemTable(kind: string): string {
  return kindObject(kind, "item");
}

/** The index of a kind by workspace, `closed` and age. */
export function ageIndex(kind: string): string {
  return kindObject(kind, "by_age");
}

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

/**
 * The source of a query's records. A word or an array item occurs in few records, so these are looked up first, in order of age, and each is checked
 * with the smallest sufficient index. Without these hints and without statistics, SQLite would scan another index.
 */
function querySource(kind: KindLayout, plan: QueryPlan): QuerySource {
  if (plan.text !== undefined) {
    const table = sql.table(textTable(kind.name));
    const { words, match } = plan.text;
    const rest = { ...plan, text: undefined };
    return {
      from: sql`${table} CROSS JOIN ${fromSql(kind)} ${checkedBy(kind, rest)}`,
      conditions: [sql`${table} MATCH ${matchExpression(words, match)}`, sql`r.seq = ${table}.rowid`],
      age: sql`r.seq`,
      rest,
    };
  }
  const conjuncts = conjunctsOf(plan.where);
  const item = conjuncts.find((one) => one.op === "contains");
  if (item === undefined) return { from: fromSql(kind), conditions: [], age: sql`r.seq`, rest: plan };
  const others = conjuncts.filter((one) => one !== item);
  const rest: QueryPlan = { ...plan, where: others.length === 0 ? undefined : { op: "and", of: others } };
  return {
    from: sql`${sql.table(itemTable(kind.name))} AS item CROSS JOIN ${fromSql(kind)} ${checkedBy(kind, rest)}`,
    conditions: [sql`item.field = ${item.field.path}`, sql`item.value = ${item.value}`, sql`r.seq = item.seq`],
    age: sql`item.seq`,
    rest,
  };
}

/** The conditions of nested AND groups as one list. */
function conjunctsOf(predicate: Predicate | undefined): readonly Predicate[] {
  if (predicate === undefined) return [];
  return predicate.op === "and" ? predicate.of.flatMap(conjunctsOf) : [predicate];
}

/**
 * The index that checks one record by its age without reading the record. It covers only fields with an equality condition. If only workspace and
 * `closed` matter, it is the index by age.
 */
function checkedBy(
  kind: KindLayout,
  { where, sort, sinceGeneration, includeClosed, workspaces }: QuerySource["rest"],
): Sql {
  const conjuncts = conjunctsOf(where);
  // Sorting and these conditions read each record anyway.
  const isByRecord =
    sort.length > 0 ||
    includeClosed ||
    workspaces === "every" ||
    sinceGeneration !== undefined ||
    conjuncts.some(({ op }) => op === "contains");
  if (isByRecord) return sql`NOT INDEXED`;
  if (conjuncts.length === 0) return sql`INDEXED BY ${sql.table(ageIndex(kind.name))}`;
  const equal = new Set(conjuncts.flatMap((one) => (one.op === "eq" ? [one.field.path] : [])));
  const [index] = kind.indexes
    .filter((fields) => fields.every(({ path }) => equal.has(path)))
    .sort((a, b) => b.length - a.length);
  return index === undefined ? sql`NOT INDEXED` : sql`INDEXED BY ${sql.table(indexName(kind.name, index))}`;
}

/** Words as an FTS5 expression. Each word is quoted, so that none is an operator. */
export function matchExpression(words: readonly string[], match: "all" | "any"): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(match === "all" ? " AND " : " OR ");
}
