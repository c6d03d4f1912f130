/** Reads on one connection or the pool: a record by its id, a page of a query, the generation, and the workspaces. */
import type { RecordData } from "@toolpacks/core";
import type { DriverReader, FindResult, KindLayout, QueryPlan, Row } from "@toolpacks/store";
import {
  countSql,
  decodeShown,
  encodeShown,
  isBeyondRanked,
  pageSql,
  positionOf,
  recordTable,
  shownUpTo,
  type Sql,
  vectorFunctions,
} from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection, SqlRow } from "./database.ts";
import { readLayouts } from "./kind-tables.ts";
import { findNear, vectorDatabase } from "./record-vectors.ts";
import { postgresDialect } from "./postgres-dialect.ts";
import { storedGeneration } from "./postgres-error.ts";
import { rankedSql } from "./ranked-sql.ts";
import { textStatistics } from "./text-statistics.ts";

/** Creates the read functions of a driver, for the pool or the connection of a transaction. */
export function createReader(connection: Connection): Omit<DriverReader, "ensureKind"> {
  return {
    async get(kind, workspace, id) {
      const [row] = await connection.query(
        `SELECT id, generation, closed, data, $1::text AS workspace FROM ${recordTable(kind.name)}
         WHERE workspace = (SELECT number FROM workspace WHERE name = $1) AND id = $2`,
        [workspace, id],
      );
      return row && toRow(row);
    },
    find: (kind, plan) => find(connection, kind, plan),
    generation: () => readGeneration(connection),
    workspaces: () => workspaces(connection),
    ...vectorFunctions(vectorDatabase(connection)),
  };
}

export async function readGeneration(connection: Connection): Promise<number> {
  return storedGeneration((await connection.query("SELECT generation FROM toolpacks"))[0]?.["generation"]);
}

async function workspaces(connection: Connection): Promise<readonly string[]> {
  const kinds = await readLayouts(connection);
  if (kinds.length === 0) return [];
  const used = kinds.map(({ name }) => `EXISTS (SELECT 1 FROM ${recordTable(name)} WHERE workspace = number)`);
  const rows = await connection.query(`SELECT name FROM workspace WHERE ${used.join(" OR ")} ORDER BY name`);
  return rows.map(({ name }) => String(name));
}

/** Reads one page, its total and the generation in one statement, so that they are consistent. A text query of an empty kind reads no more. */
export async function find(connection: Connection, kind: KindLayout, plan: QueryPlan): Promise<FindResult> {
  const isRanked = plan.text !== undefined && plan.sort.length === 0;
  const ofEmpty = `SELECT generation FROM toolpacks WHERE NOT EXISTS (SELECT 1 FROM ${recordTable(kind.name)})`;
  const [empty] = isRanked ? await connection.query(ofEmpty) : [];
  if (empty) return { rows: [], resume: () => undefined, total: 0, generation: storedGeneration(empty["generation"]) };
  const position = decodeShown(isRanked ? plan.after : undefined);
  const page = isRanked ? await rankedPageSql(connection, kind, plan) : pageSql(postgresDialect, kind, plan);
  // The outer join returns one row with the total if the page is empty.
  const statement = sql`SELECT found.*, total.total, now.generation AS now
    FROM (${countSql(postgresDialect, kind, plan)}) AS total
    CROSS JOIN toolpacks AS now
    LEFT JOIN (SELECT page.*, row_number() OVER () AS place FROM (${page}) AS page) AS found ON true
    ORDER BY found.place`;
  const answer = await connection.run(postgresDialect.compile(statement));
  const rows = answer.filter(({ place }) => place !== null);
  const ages = (ranked: boolean) => rows.filter((row) => row["ranked"] === ranked).map(({ seq }) => Number(seq));
  return {
    rows: rows.map(toRow),
    total: Math.max(Number(answer[0]?.["total"]), position.shown.length + rows.length),
    generation: storedGeneration(answer[0]?.["now"]),
    resume: (at) =>
      isRanked
        ? encodeShown(shownUpTo(position, { ranked: ages(true), byAge: ages(false) }, at))
        : positionOf(plan, rows[at]),
  };
}

/** The page of a text query, whose words are counted first. Other writes between the two statements change only the ranks. */
async function rankedPageSql(connection: Connection, kind: KindLayout, plan: QueryPlan): Promise<Sql> {
  const position = decodeShown(plan.after);
  const words = plan.text?.words ?? [];
  const none = { counts: [], records: 0 };
  if (isBeyondRanked(position)) return rankedSql(kind, plan, { position, statistics: none, near: [] });
  const [statistics, near] = await Promise.all([
    textStatistics(connection, kind, words),
    findNear(connection, kind, plan),
  ]);
  return rankedSql(kind, plan, { position, statistics, near });
}

export function toRow(row: SqlRow): Row {
  return {
    workspace: String(row["workspace"]),
    id: String(row["id"]),
    closed: row["closed"] === 1,
    data: row["data"] as RecordData,
    generation: Number(row["generation"]),
  };
}
