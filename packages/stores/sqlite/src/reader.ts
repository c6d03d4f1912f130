/** Reads on one connection: a record by its id, a page of a query, the generation, and the workspaces. */
import { ToolError, type RecordData } from "@toolpacks/core";
import type { DriverReader, FindResult, KindLayout, QueryPlan, Row } from "@toolpacks/core/store";
import { countSql, fromSql, matchingSql, pageSql, recordTable, rowColumns } from "@toolpacks/store-sql";
import { sql } from "kysely";
import { parseStored, withSnapshot, type Connection } from "./connection.ts";
import { readLayouts } from "./kind-tables.ts";
import { sqliteDialect, textTable } from "./sqlite-dialect.ts";
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

/** Converts the columns of a record to a row. */
export function toRow(row: Readonly<Record<string, unknown>>): Row {
  return {
    workspace: String(row["workspace"]),
    id: String(row["id"]),
    closed: row["closed"] === 1,
    data: parseStored(row["data"]) as RecordData,
    generation: Number(row["generation"]),
  };
}

/** A page of rows without its total. */
type FoundPage = Pick<FindResult, "rows" | "resume">;

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

/**
 * Maximum number of records that are sorted by rank. BM25 depends on all stored records, so every write changes ranks a little, and a rank is not a
 * stable position. Therefore a cursor lists the records that were shown. Records beyond this number are sorted by age.
 */
const maxRanked = 400;

/** The position after the previous pages: the ages of the records shown by rank, then the age of the last record shown by age. */
interface Position {
  readonly shown: readonly number[];
  readonly after: number | undefined;
}

/** A page of a text query, best first. The first text field counts double. */
function findRanked(connection: Connection, kind: KindLayout, plan: QueryPlan): FoundPage {
  const position = readPosition(plan.after);
  const byAge = position.shown.length >= maxRanked;
  const unseen =
    position.shown.length === 0
      ? sql``
      : sql`AND r.seq NOT IN (SELECT value FROM json_each(${JSON.stringify(position.shown)}))`;
  const beyond = byAge ? sql`AND r.seq > ${position.after ?? 0}` : sql``;
  const order = byAge ? sql`age` : sql`rank, age`;
  // The inner query sorts only ages and ranks. Complete records are read only for the page.
  const rows = connection.query(
    sqliteDialect.compile(sql`SELECT ${rowColumns} FROM (
        SELECT r.seq AS age, bm25(${sql.table(textTable(kind.name))}, 2.0, 1.0) AS rank
        ${matchingSql(sqliteDialect, kind, sqliteDialect.source(kind, plan))} ${unseen} ${beyond} ORDER BY ${order} LIMIT ${plan.limit + 1}
      ) AS page CROSS JOIN ${fromSql(kind)} WHERE r.seq = page.age ORDER BY ${order}`),
  );
  const ages = rows.map(({ seq }) => Number(seq));
  return {
    rows: rows.map(toRow),
    resume(at) {
      if (byAge) return [...differences(position.shown), -(ages[at] ?? 0)];
      return differences([...position.shown, ...ages.slice(0, at + 1)]);
    },
  };
}

/** Encodes ages as differences between sorted ages, which are short numbers. */
function differences(ages: readonly number[]): readonly number[] {
  const sorted = [...ages].sort((a, b) => a - b);
  return sorted.map((age, at) => age - (sorted[at - 1] ?? 0));
}

/** The position after an earlier page. @throws ToolError when it is invalid */
function readPosition(value: unknown): Position {
  if (value === undefined) return { shown: [], after: undefined };
  if (
    !Array.isArray(value) ||
    value.length === 0 ||
    value.length > 2 * 1_000 ||
    !value.every((one) => Number.isSafeInteger(one))
  ) {
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  }
  const steps = value as readonly number[];
  const last = steps.at(-1) ?? 0;
  const shown: number[] = [];
  for (const step of last < 0 ? steps.slice(0, -1) : steps) shown.push((shown.at(-1) ?? 0) + step);
  return { shown, after: last < 0 ? -last : undefined };
}
