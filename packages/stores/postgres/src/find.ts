import { ToolError, type RecordData } from "@toolpacks/core";
import type { FindResult, KindLayout, QueryPlan, Row } from "@toolpacks/core/store";
import { countSql, matchingSql, pageSql, rowColumns, type Sql } from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection, SqlRow } from "./database.ts";
import { postgresDialect } from "./postgres-dialect.ts";
import { storedGeneration } from "./postgres-error.ts";
import { textQuery } from "./text-vector.ts";

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
