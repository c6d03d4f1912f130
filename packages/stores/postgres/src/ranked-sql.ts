/** A page of a text query as SQL, best first. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import {
  candidateWords,
  fromSql,
  isBeyondRanked,
  isExhaustive,
  matchingSql,
  maxRanked,
  nearRarity,
  rarity,
  rowColumns,
  type NearRecord,
  type ShownPosition,
  type Sql,
  type TextStatistics,
} from "@toolpacks/store-sql";
import { sql } from "kysely";
import { postgresDialect, textQuery } from "./postgres-dialect.ts";

/** Maximum number of candidates that are ranked. */
const maxCandidates = 5_000;

/** What the ranks of records depend on. */
interface RankedRecords {
  readonly statistics: TextStatistics;
  /** The records that are near to the query. */
  readonly near: readonly NearRecord[];
}

/**
 * The records by rank, then all others by age. The column `ranked` tells them apart. The second part is read only if the first does not fill the
 * page.
 */
export function rankedSql(
  kind: KindLayout,
  plan: QueryPlan,
  { position, ...found }: RankedRecords & { readonly position: ShownPosition },
): Sql {
  const limit = plan.limit + 1;
  const source = postgresDialect.source(kind, plan);
  const matching = matchingSql(postgresDialect, kind, source);
  const shown = sql`${sql.lit(`{${position.shown.join(",")}}`)}::bigint[]`;
  const byAge = sql`SELECT ${rowColumns}, false AS ranked ${matching} AND r.seq <> ALL (${shown}) AND r.seq > ${position.after ?? 0}`;
  if (isBeyondRanked(position)) return sql`${byAge} ORDER BY r.seq LIMIT ${limit}`;
  return sql`WITH candidate AS MATERIALIZED (${candidatesSql(kind, plan, found)}),
    best AS MATERIALIZED (
      SELECT seq, max(rank) AS rank FROM candidate WHERE seq <> ALL (${shown}) GROUP BY seq ORDER BY rank DESC, seq LIMIT ${limit}
    )
    SELECT * FROM (
      (SELECT ${rowColumns}, true AS ranked FROM best JOIN ${fromSql(kind)} USING (seq) ORDER BY best.rank DESC, seq)
      UNION ALL (${byAge} AND r.seq NOT IN (SELECT seq FROM best) ORDER BY r.seq LIMIT ${limit})
    ) AS page LIMIT ${limit}`;
}

/** The ages and ranks of the candidates: those by their words, and those that are near. */
function candidatesSql(kind: KindLayout, plan: QueryPlan, { statistics, near }: RankedRecords): Sql {
  const byWords = wordCandidatesSql(kind, plan, statistics);
  return near.length === 0 ? byWords : sql`(${byWords}) UNION ALL (${nearSql(kind, plan, { statistics, near })})`;
}

/** The weight of a word in the first text field, in `ts_rank` of one word. */
const wordWeight = 0.6;

/** The ages and ranks of the records that are near. If no record has a word of the query, their order is that of their nearness. */
function nearSql(kind: KindLayout, plan: QueryPlan, { statistics, near }: RankedRecords): Sql {
  const { text: _text, ...rest } = plan;
  const values = near.map(({ age, similarity }) => sql`(${sql.lit(age)}, ${sql.lit(similarity)}::double precision)`);
  const from = sql`(VALUES ${sql.join(values)}) AS near (age, similarity) JOIN ${fromSql(kind)} ON r.seq = near.age`;
  const hasWords = statistics.counts.some(({ count }) => count > 0);
  const worth = sql`${wordWeight * nearRarity(statistics)}::double precision * similarity / (1 + ln(length(r.words) + 1))`;
  const rank = hasWords ? sql`${rankSql(plan, statistics)} + ${worth}` : sql`similarity`;
  const hasAny = sql`r.words @@ ${textQuery(plan.text?.words ?? [], "any")}::tsquery`;
  const conditions = [sql`(similarity >= ${plan.near?.minSimilarity ?? 0}::double precision OR ${hasAny})`];
  const source = { from, conditions, age: sql`r.seq`, rest };
  return sql`SELECT r.seq, ${rank} AS rank ${matchingSql(postgresDialect, kind, source)}`;
}

function wordCandidatesSql(kind: KindLayout, plan: QueryPlan, statistics: TextStatistics): Sql {
  const rank = rankSql(plan, statistics);
  const { conditions: _text, ...source } = postgresDialect.source(kind, plan);
  const ranked = (query: string, end: Sql) =>
    sql`(SELECT r.seq, ${rank} AS rank ${matchingSql(postgresDialect, kind, { ...source, conditions: [sql`r.words @@ ${query}::tsquery`] })} ${end})`;
  const newest = (query: string, count: number) => ranked(query, sql`ORDER BY r.seq DESC LIMIT ${count}`);
  const { words, match } = plan.text ?? { words: [], match: "all" };
  if (match === "all") return newest(textQuery(words, "all"), maxCandidates);
  if (isExhaustive(statistics)) return ranked(textQuery(words, "any"), sql``);
  const { alone, pairs, newest: newestWords } = candidateWords(statistics);
  const telling = [
    ...alone.map((word) => textQuery([word], "all")),
    ...[...pairs].map(([word, others]) => `(${textQuery([word], "all")} & (${textQuery(others, "any")}))`),
  ];
  const some = newest(textQuery(newestWords, "any"), maxRanked);
  if (telling.length === 0) return some;
  return sql`${ranked(telling.join(" | "), sql`LIMIT ${maxCandidates}`)} UNION ALL ${some}`;
}

/**
 * The rank of a record: the rarity of each word, times how often the record has it, divided by the logarithm of the record's length. The weights are
 * those of D, C, B and A: the first text field counts double.
 */
function rankSql({ text }: QueryPlan, { counts, records }: TextStatistics): Sql {
  const parts = (text?.words ?? []).map((word) => {
    const count = counts.find((one) => one.word === word)?.count ?? 0;
    return sql`${rarity(count, records)}::double precision * ts_rank('{0.5, 0.5, 0.5, 1}', r.words, ${textQuery([word], "all")}::tsquery)`;
  });
  return sql`((${sql.join(parts, sql` + `)}) / (1 + ln(length(r.words) + 1)))`;
}
