import type { KindLayout, QueryPlan } from "@toolpacks/core/store";
import { sql } from "kysely";
import { afterSql, orderSql } from "./order-sql.ts";
import { allOf, predicateSql } from "./predicate-sql.ts";
import type { Sql, SqlDialect } from "./sql-dialect.ts";
import { recordTable } from "./table-names.ts";

/** A kind's table under the name that conditions use. */
export function fromSql(kind: KindLayout): Sql {
  return sql`${sql.table(recordTable(kind.name))} AS r`;
}

/** Everything that decides whether a record matches, but for its place among the pages. */
export function whereSql(dialect: SqlDialect, kind: KindLayout, plan: QueryPlan): Sql {
  const { workspaces, includeClosed, sinceGeneration, where, text } = plan;
  return allOf([
    ...(workspaces === "every" ? [] : [inWorkspaces(workspaces)]),
    // Both values are named, so that an index in which `closed` comes before the field still serves.
    ...(includeClosed ? [] : [sql`r.closed = 0`]),
    ...(sinceGeneration === undefined ? [] : [sql`r.generation > ${sinceGeneration}`]),
    ...(where === undefined ? [] : [predicateSql(dialect, kind, where)]),
    ...(text === undefined ? [] : [dialect.matches(kind, text)]),
  ]);
}

/** The page of a sorted query: the record's columns and its sort keys as `k0`, `k1`, … One row more than the limit is asked for. */
export function pageSql(dialect: SqlDialect, kind: KindLayout, plan: QueryPlan): Sql {
  const keys = plan.sort.map(({ field }, at) => sql`, ${dialect.scalar(field)} AS ${sql.ref(`k${at}`)}`);
  const after = afterSql(dialect, plan);
  const conditions = [whereSql(dialect, kind, plan), ...(after === undefined ? [] : [after])];
  return sql`SELECT ${rowColumns}${sql.join(keys, sql``)} FROM ${fromSql(kind)}
    WHERE ${allOf(conditions)} ORDER BY ${orderSql(dialect, plan)} LIMIT ${plan.limit + 1}`;
}

/** The columns of a row, its workspace by name. */
export const rowColumns = sql`r.seq, r.id, r.generation, r.closed, r.data,
  (SELECT name FROM workspace WHERE number = r.workspace) AS workspace`;

export function countSql(dialect: SqlDialect, kind: KindLayout, plan: QueryPlan): Sql {
  return sql`SELECT count(*) AS total FROM ${fromSql(kind)} WHERE ${whereSql(dialect, kind, plan)}`;
}

function inWorkspaces(names: readonly string[]): Sql {
  const [only] = names;
  if (names.length === 1) return sql`r.workspace = (SELECT number FROM workspace WHERE name = ${only})`;
  return sql`r.workspace IN (SELECT number FROM workspace WHERE name IN (${sql.join([...names])}))`;
}
