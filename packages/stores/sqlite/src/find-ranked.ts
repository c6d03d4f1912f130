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
 * How many records come by rank. BM25 depends on all that is stored, so every write moves ranks a little, and a place between two
 * ranks is no place to go on from. A cursor therefore names the records that were shown; those beyond this many come by age.
 */
const maxRanked = 400;

/** What the pages before showed: by rank, as differences of sorted ages, and then the age of the last. */
interface Place {
  readonly shown: readonly number[];
  readonly after: number | undefined;
}

/** A page of a text query, best first. The first text field counts double. */
export function findRanked(connection: Connection, kind: KindLayout, plan: QueryPlan): FoundPage {
  const place = readPlace(plan.after);
  const byAge = place.shown.length >= maxRanked;
  const unseen =
    place.shown.length === 0
      ? sql``
      : sql`AND r.seq NOT IN (SELECT value FROM json_each(${JSON.stringify(place.shown)}))`;
  const beyond = byAge ? sql`AND r.seq > ${place.after ?? 0}` : sql``;
  const order = byAge ? sql`age` : sql`rank, age`;
  // Ranked and cut by two numbers a record; the records themselves are read for the page only.
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
      if (byAge) return [...differences(place.shown), -(ages[at] ?? 0)];
      return differences([...place.shown, ...ages.slice(0, at + 1)]);
    },
  };
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
