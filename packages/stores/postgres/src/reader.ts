/** Reads on one connection or the pool: a record by its id, a page of a query, the generation, and the workspaces. */
import { ToolError, type RecordData } from "@toolpacks/core";
import type { DriverReader, FindResult, KindLayout, QueryPlan, Row } from "@toolpacks/core/store";
import { countSql, matchingSql, pageSql, recordTable, rowColumns, type Sql } from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection, SqlRow } from "./database.ts";
import { readLayouts } from "./kind-tables.ts";
import { postgresDialect, textQuery } from "./postgres-dialect.ts";
import { storedGeneration } from "./postgres-error.ts";

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

/** Reads one page, its total and the generation in one statement, so that they are consistent. */
export async function find(connection: Connection, kind: KindLayout, plan: QueryPlan): Promise<FindResult> {
  const isRanked = plan.text !== undefined && plan.sort.length === 0;
  const page = isRanked ? rankedSql(kind, plan) : pageSql(postgresDialect, kind, plan);
  // The outer join returns one row with the total if the page is empty.
  const statement = sql`SELECT found.*, total.total, now.generation AS now
    FROM (${countSql(postgresDialect, kind, plan)}) AS total
    CROSS JOIN toolpacks AS now
    LEFT JOIN (SELECT page.*, row_number() OVER () AS place FROM (${page}) AS page) AS found ON true
    ORDER BY found.place`;
  const answer = await connection.run(postgresDialect.compile(statement));
  const rows = answer.filter(({ place }) => place !== null);
  const keys = isRanked ? ["k0"] : plan.sort.map((_, at) => `k${at}`);
  return {
    rows: rows.map(toRow),
    total: Number(answer[0]?.["total"]),
    generation: storedGeneration(answer[0]?.["now"]),
    resume: (at) => [...keys.map((key) => rows[at]?.[key] ?? null), rows[at]?.["seq"]],
  };
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

/**
 * The page of a text query, best first. `ts_rank` depends only on the record, so other writes do not change ranks between pages.
 * The weights are those of D, C, B and A: the first text field counts double. The option 1 divides by the logarithm of the record's length.
 */
function rankedSql(kind: KindLayout, plan: QueryPlan): Sql {
  const { words, match } = plan.text ?? { words: [], match: "all" };
  const rank = sql`ts_rank('{0.5, 0.5, 0.5, 1}', r.words, ${textQuery(words, match)}::tsquery, 1)::double precision`;
  const last = plan.after === undefined ? undefined : readPosition(plan.after);
  const after = last && sql`(${rank} < ${last.rank} OR (${rank} = ${last.rank} AND r.seq > ${last.seq}))`;
  return sql`SELECT ${rowColumns}, ${rank} AS k0 ${matchingSql(postgresDialect, kind, postgresDialect.source(kind, plan))}
    ${after === undefined ? sql`` : sql`AND ${after}`} ORDER BY k0 DESC, r.seq LIMIT ${plan.limit + 1}`;
}

/** The position after an earlier page. @throws ToolError when it is invalid */
function readPosition(value: unknown): { readonly rank: number; readonly seq: number } {
  const [rank, seq, ...others] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (typeof rank === "number" && Number.isSafeInteger(seq) && others.length === 0) return { rank, seq: Number(seq) };
  throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
}
