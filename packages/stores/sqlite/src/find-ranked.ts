import { ToolError } from "@toolpacks/core";
import type { KindLayout, QueryPlan } from "@toolpacks/core/store";
import { fromSql, matchingSql, rowColumns } from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection } from "./connection.ts";
import type { FoundPage } from "./found-page.ts";
import { querySource } from "./source.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { textTable } from "./table-names.ts";
import { toRow } from "./to-row.ts";

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
export function findRanked(connection: Connection, kind: KindLayout, plan: QueryPlan): FoundPage {
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
        ${matchingSql(sqliteDialect, kind, querySource(kind, plan))} ${unseen} ${beyond} ORDER BY ${order} LIMIT ${plan.limit + 1}
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
