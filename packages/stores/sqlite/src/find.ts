import type { FindResult, KindLayout, QueryPlan } from "@toolpacks/core/store";
import { countSql, pageSql } from "@toolpacks/store-sql";
import type { Connection } from "./connection.ts";
import { findRanked } from "./find-ranked.ts";
import type { FoundPage } from "./found-page.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { damagedError } from "./sqlite-error.ts";
import { toRow } from "./to-row.ts";

/** Reads one page and its total in one consistent state. */
export function find(connection: Connection, kind: KindLayout, plan: QueryPlan): FindResult {
  return withSnapshot(connection, () => {
    const page = plan.text !== undefined && plan.sort.length === 0 ? findRanked : findSorted;
    const generation = readGeneration(connection);
    const { rows, resume } = page(connection, kind, plan);
    const isAll = plan.after === undefined && rows.length <= plan.limit;
    return { rows, resume, total: isAll ? rows.length : count(connection, kind, plan), generation };
  });
}

export function readGeneration(connection: Connection): number {
  const generation = connection.one("SELECT generation FROM toolpacks")?.["generation"];
  if (Number.isSafeInteger(generation) && Number(generation) >= 0) return Number(generation);
  throw damagedError(new Error("its generation is not valid"));
}

function findSorted(connection: Connection, kind: KindLayout, plan: QueryPlan): FoundPage {
  const rows = connection.query(sqliteDialect.compile(pageSql(sqliteDialect, kind, plan)));
  return {
    rows: rows.map(toRow),
    resume(at) {
      const row = rows[at];
      return [...plan.sort.map((_, key) => row?.[`k${key}`] ?? null), row?.["seq"]];
    },
  };
}

function count(connection: Connection, kind: KindLayout, plan: QueryPlan): number {
  return Number(connection.query(sqliteDialect.compile(countSql(sqliteDialect, kind, plan)))[0]?.["total"]);
}

/** Runs reads in a transaction, so that writes between the statements are not visible. */
export function withSnapshot<T>(connection: Connection, work: () => T): T {
  if (connection.database.isTransaction) return work();
  connection.exec("BEGIN");
  try {
    return work();
  } finally {
    connection.exec("COMMIT");
  }
}
