import type { KindLayout, Predicate, QueryPlan } from "@toolpacks/core/store";
import { fromSql, indexName, type QuerySource, type Sql } from "@toolpacks/store-sql";
import { sql } from "kysely";
import { matchExpression } from "./match-expression.ts";
import { ageIndex, itemTable, textTable } from "./table-names.ts";

/**
 * How a query comes at its records. A word or an array's item is in few of them: those are looked up one by one, in the order of their age, and
 * each is checked in the smallest index that can tell. SQLite, which keeps no statistics here, would rather walk another index from end to end.
 */
export function querySource(kind: KindLayout, plan: QueryPlan): QuerySource {
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

/** Conditions that must all hold, out of their nested groups. */
export function conjunctsOf(predicate: Predicate | undefined): readonly Predicate[] {
  if (predicate === undefined) return [];
  return predicate.op === "and" ? predicate.of.flatMap(conjunctsOf) : [predicate];
}

/**
 * The index in which one record, known by its age, is checked without being read: one of fields that are all asked to equal something,
 * or, where workspace and `closed` alone decide, the one by age.
 */
function checkedBy(
  kind: KindLayout,
  { where, sort, sinceGeneration, includeClosed, workspaces }: QuerySource["rest"],
): Sql {
  const conjuncts = conjunctsOf(where);
  // To be sorted, each is read anyway.
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
