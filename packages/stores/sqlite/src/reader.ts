/** Reads on one connection: a record by its id, a page of a query, the generation, and the workspaces. */
import type { DriverReader, FindResult, KindLayout, QueryPlan } from "@toolpacks/store";
import { countSql, decodeShown, pageSql, positionOf, recordTable, vectorFunctions } from "@toolpacks/store-sql";
import { toRow, withSnapshot, type Connection } from "./connection.ts";
import { readLayouts } from "./kind-tables.ts";
import { findRanked, type FoundPage } from "./ranked-page.ts";
import { vectorDatabase } from "./record-vectors.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { damagedError } from "./sqlite-error.ts";

/** Creates the read functions of a driver on one connection. */
export function createReader(connection: Connection): DriverReader {
  return {
    ensureKind() {},
    get(kind, workspace, id) {
      const row = connection.one(
        `SELECT id, generation, closed, data, ? AS workspace FROM ${recordTable(kind.name)}
         WHERE workspace = (SELECT number FROM workspace WHERE name = ?) AND id = ?`,
        workspace,
        workspace,
        id,
      );
      return row && toRow(row);
    },
    find: (kind, plan) => find(connection, kind, plan),
    generation: () => readGeneration(connection),
    workspaces: () => workspaces(connection),
    ...vectorFunctions(vectorDatabase(connection)),
  };
}

/** Maximum number of kinds per statement, because SQLite limits the size of an expression. */
const maxKindsPerStatement = 100;

function workspaces(connection: Connection): readonly string[] {
  return withSnapshot(connection, () => {
    const kinds = readLayouts(connection).map(
      ({ name }) => `EXISTS (SELECT 1 FROM ${recordTable(name)} WHERE workspace = number)`,
    );
    const used = new Set<unknown>();
    for (let from = 0; from < kinds.length; from += maxKindsPerStatement) {
      const some = kinds.slice(from, from + maxKindsPerStatement).join(" OR ");
      for (const { number } of connection.all(`SELECT number FROM workspace WHERE ${some}`)) used.add(number);
    }
    const all = connection.all("SELECT number, name FROM workspace ORDER BY name");
    return all.flatMap(({ number, name }) => (used.has(number) ? [String(name)] : []));
  });
}

/** Reads one page and its total in one consistent state. */
export function find(connection: Connection, kind: KindLayout, plan: QueryPlan): FindResult {
  return withSnapshot(connection, () => {
    const generation = readGeneration(connection);
    const isEmpty = connection.one(`SELECT 1 FROM ${recordTable(kind.name)} LIMIT 1`) === undefined;
    if (isEmpty || plan.limit === 0) {
      const total = isEmpty ? 0 : count(connection, kind, plan);
      return { rows: [], resume: () => undefined, total, generation };
    }
    const isRanked = plan.text !== undefined && plan.sort.length === 0;
    const { shown } = decodeShown(isRanked ? plan.after : undefined);
    const { rows, resume } = (isRanked ? findRanked : findSorted)(connection, kind, plan);
    const known = shown.length + rows.length;
    const isCounted = (plan.after === undefined && rows.length <= plan.limit) || known > (plan.countTo ?? Infinity);
    const total = isCounted ? known : Math.max(count(connection, kind, plan), known);
    return { rows, resume, total, generation };
  });
}

export function readGeneration(connection: Connection): number {
  const generation = connection.one("SELECT generation FROM toolpacks")?.["generation"];
  if (Number.isSafeInteger(generation) && Number(generation) >= 0) return Number(generation);
  throw damagedError(new Error("its generation is not valid"));
}

function findSorted(connection: Connection, kind: KindLayout, plan: QueryPlan): FoundPage {
  const rows = connection.query(sqliteDialect.compile(pageSql(sqliteDialect, kind, plan)));
  return { rows: rows.map(toRow), resume: (at) => positionOf(plan, rows[at]) };
}

function count(connection: Connection, kind: KindLayout, plan: QueryPlan): number {
  return Number(connection.query(sqliteDialect.compile(countSql(sqliteDialect, kind, plan)))[0]?.["total"]);
}
