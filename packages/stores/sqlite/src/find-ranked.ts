import { ToolError } from "@toolpacks/core";
import type { Found, KindLayout, QueryPlan } from "@toolpacks/core/store";
import { fromSql, rowColumns, whereSql, type Sql } from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection } from "./connection.ts";
import { matchExpression } from "./match-expression.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { ageIndex, textTable } from "./table-names.ts";
import { toRow } from "./to-row.ts";

/**
 * How many records come by rank. BM25 depends on all that is stored, so every write moves ranks a little, and a place between two
 * ranks is no place to go on from. A cursor therefore names the records that were shown; those beyond this many come by age.
 */
const mostRanked = 400;

/** What the pages before showed: by rank, as differences of sorted ages, and then the age of the last. */
interface Place {
  readonly shown: readonly number[];
  readonly after: number | undefined;
}

/** A page of a text query, best first. The first text field counts double. */
export function findRanked(connection: Connection, kind: KindLayout, plan: QueryPlan): Omit<Found, "generation"> {
  const place = readPlace(plan.after);
  const byAge = place.shown.length >= mostRanked;
  const unseen =
    place.shown.length === 0
      ? sql``
      : sql`AND age NOT IN (SELECT value FROM json_each(${JSON.stringify(place.shown)}))`;
  const beyond = byAge ? sql`AND age > ${place.after ?? 0}` : sql``;
  const order = byAge ? sql`age` : sql`rank, age`;
  // Ranked, counted and cut by two numbers a record, in one pass; the records themselves are read for the page only.
  const found = connection.query(
    sqliteDialect.compile(sql`WITH matching AS MATERIALIZED (${matchingSql(kind, plan)})
      SELECT ${rowColumns}, total FROM (SELECT count(*) AS total FROM matching)
      LEFT JOIN (SELECT * FROM matching WHERE true ${unseen} ${beyond} ORDER BY ${order} LIMIT ${plan.limit + 1}) AS page ON true
      LEFT JOIN ${fromSql(kind)} ON r.seq = page.age ORDER BY ${order}`),
  );
  const page = found.filter(({ seq }) => seq !== null);
  const ages = page.map(({ seq }) => Number(seq));
  return {
    rows: page.map(toRow),
    total: Number(found[0]?.["total"]),
    resume(at) {
      if (byAge) return [...differences(place.shown), -(ages[at] ?? 0)];
      return differences([...place.shown, ...ages.slice(0, at + 1)]);
    },
  };
}

/** The age and rank of everything that matches. */
function matchingSql(kind: KindLayout, plan: QueryPlan): Sql {
  const { words, match } = plan.text ?? { words: [], match: "all" };
  const table = sql.table(textTable(kind.name));
  const where = whereSql(sqliteDialect, kind, { ...plan, text: undefined });
  return sql`SELECT r.seq AS age, bm25(${table}, 2.0, 1.0) AS rank FROM ${table} CROSS JOIN ${fromSql(kind)} ${readFrom(kind, plan)}
    WHERE r.seq = ${table}.rowid AND ${table} MATCH ${matchExpression(words, match)} AND ${where}`;
}

/** Where workspace and `closed` alone decide, an index holds both in a small part of the pages that the records take. */
function readFrom(kind: KindLayout, plan: QueryPlan): Sql {
  const { where, sinceGeneration, includeClosed, workspaces } = plan;
  const isByAge = where === undefined && sinceGeneration === undefined && !includeClosed && workspaces !== "every";
  return isByAge ? sql`INDEXED BY ${sql.table(ageIndex(kind.name))}` : sql`NOT INDEXED`;
}

/** Sorted ages as steps from one to the next, which are short numbers. */
function differences(ages: readonly number[]): readonly number[] {
  const sorted = [...ages].sort((a, b) => a - b);
  return sorted.map((age, at) => age - (sorted[at - 1] ?? 0));
}

/** @throws ToolError when it is not what an earlier page ended with */
function readPlace(value: unknown): Place {
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
