import type { KindLayout, Predicate, QueryPlan } from "@toolpacks/core/store";
import { fromSql, indexName, type QuerySource, type Sql } from "@toolpacks/store-sql";
import { sql } from "kysely";
import { matchExpression } from "./match-expression.ts";
import { ageIndex, itemTable, textTable } from "./table-names.ts";

/**
 * The source of a query's records. A word or an array item occurs in few records, so these are looked up first, in order of age, and each is checked
 * with the smallest sufficient index. Without these hints and without statistics, SQLite would scan another index.
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

/** The conditions of nested AND groups as one list. */
export function conjunctsOf(predicate: Predicate | undefined): readonly Predicate[] {
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
