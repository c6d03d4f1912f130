import type { KindLayout, Predicate, QueryPlan } from "@toolpacks/core/store";
import { sql } from "kysely";
import { afterSql, orderSql } from "./order-sql.ts";
import { allOf, predicateSql } from "./predicate-sql.ts";
import type { QuerySource, Sql, SqlDialect } from "./sql-dialect.ts";
import { recordTable } from "./table-names.ts";

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
