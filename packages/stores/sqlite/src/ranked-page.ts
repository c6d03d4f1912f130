/** A page of a text query, best first. */
import type { FindResult, KindLayout, QueryPlan, Row } from "@toolpacks/store";
import {
  decodeShown,
  encodeShown,
  fromSql,
  isBeyondRanked,
  matchingSql,
  isExhaustive,
  nearRarity,
  rowColumns,
  shownUpTo,
  type Sql,
  type TextStatistics,
} from "@toolpacks/store-sql";
import { sql } from "kysely";
import { toRow, type Connection } from "./connection.ts";
import { findNear } from "./record-vectors.ts";
import { sqliteDialect, textTable } from "./sqlite-dialect.ts";
import { findCandidates, type Candidate } from "./text-candidates.ts";
import { textScore, wordScore, type Ranking } from "./text-rank.ts";
import { textStatistics } from "./text-statistics.ts";

/** A page of rows without its total. */
export type FoundPage = Pick<FindResult, "rows" | "resume">;

interface RankedQuery {
  readonly connection: Connection;
  readonly kind: KindLayout;
  readonly plan: QueryPlan;
  readonly text: NonNullable<QueryPlan["text"]>;
  /** The ages of the records on earlier pages. */
  readonly shown: readonly number[];
  /** The similarities of the other records that are near to the query, by their age, nearest first. */
  readonly near: ReadonlyMap<number, number>;
  /** The rows that were read, by age. */
  readonly rows: Map<number, Row>;
}

/** Number of the best candidates whose texts are read. */
const maxCompared = 80;
/** Number of the best candidates that are ranked by their size, too. */
const maxCandidates = 300;
/** Maximum bytes of the records whose texts are read. */
const maxComparedBytes = 100_000;

/** Finds the page after a position. The records by rank come first, then all others by age. */
export function findRanked(connection: Connection, kind: KindLayout, plan: QueryPlan): FoundPage {
  const position = decodeShown(plan.after);
  const { shown } = position;
  const text = plan.text ?? { words: [], match: "all" };
  const isRanked = !isBeyondRanked(position);
  const found = (isRanked ? findNear(connection, kind, plan) : []).filter(({ age }) => !shown.includes(age));
  const near = new Map(found.map(({ age, similarity }) => [age, similarity]));
  const query = { connection, kind, plan, text, shown, near, rows: new Map() };
  const { ages, isAll } = isRanked ? rankedAges(query) : { ages: [], isAll: false };
  const ranked = ages.slice(0, plan.limit + 1);
  const missing = isAll ? 0 : plan.limit + 1 - ranked.length;
  const range = { after: position.after ?? 0, seen: [...shown, ...ranked], limit: missing };
  const byAge = missing > 0 ? agesAfter(query, range) : [];
  return {
    rows: readRows(query, [...ranked, ...byAge]),
    resume: (at) => encodeShown(shownUpTo(position, { ranked, byAge }, at)),
  };
}

/** The records of these ages, in this order. Each is read once for a page. */
function readRows(query: RankedQuery, ages: readonly number[]): readonly Row[] {
  const { kind, rows } = query;
  const missing = JSON.stringify(ages.filter((age) => !rows.has(age)));
  if (missing !== "[]")
    readPage(
      query,
      sql`SELECT ${rowColumns} FROM json_each(${missing}) AS page CROSS JOIN ${fromSql(kind)} WHERE r.seq = page.value`,
    );
  return ages.map((age) => rows.get(age)).filter((row) => row !== undefined);
}

/** Runs a statement that returns records. */
function readPage({ connection, rows }: RankedQuery, statement: Sql) {
  const found = connection.query(sqliteDialect.compile(statement));
  for (const row of found) rows.set(Number(row["seq"]), toRow(row));
  return found;
}

/** The ages of the matches that can be ranked, best first; `isAll`: whether no other match is left. */
function rankedAges(query: RankedQuery) {
  const { connection, kind, text, plan, shown } = query;
  const statistics = textStatistics(connection, kind, text.words);
  if (isExhaustive(statistics)) return rankAll(query, statistics);
  const before = new Set(shown);
  const { candidates: byWords, rarities } = findCandidates(connection, kind, { text, statistics });
  const found = addNear(query, byWords, statistics).filter(({ age }) => !before.has(age));
  const wanted = Math.max(maxCandidates, plan.limit + 1);
  const candidates = matchingCandidates(query, found, wanted);
  // The filter leaves few of them, so that the best of its records may be others.
  if (candidates.length < wanted && candidates.length * 2 < found.length) return rankAll(query, statistics);
  return { ages: rankCandidates(query, candidates, { rarities, ...statistics }), isAll: false };
}

/** Ranks every match. BM25 reads the lists of all words, so this takes longer the more records have them. */
function rankAll(query: RankedQuery, statistics: TextStatistics) {
  const { kind, plan, shown } = query;
  const source = sqliteDialect.source(kind, plan);
  const found = readPage(
    query,
    sql`SELECT ${rowColumns}, best.rank FROM (
      SELECT r.seq AS age, bm25(${sql.table(textTable(kind.name))}, 2.0, 1.0) AS rank
      ${matchingSql(sqliteDialect, kind, source)} ${unseen(shown)} ORDER BY rank, age LIMIT ${plan.limit + 1}
    ) AS best CROSS JOIN ${fromSql(kind)} WHERE r.seq = best.age`,
  );
  const byWords = found.map(({ seq, rank }) => ({ age: Number(seq), score: -Number(rank) })).sort(bestFirst);
  return { ages: addNear(query, byWords, statistics).map(({ age }) => age), isAll: true };
}

/** Adds the records that are near, and what their nearness is worth. Best first. */
function addNear(
  { near, plan }: RankedQuery,
  byWords: readonly Candidate[],
  statistics: TextStatistics,
): readonly Candidate[] {
  if (near.size === 0) return byWords;
  const worth = nearRarity(statistics);
  const others = byWords.filter(({ age }) => !near.has(age));
  const scores = new Map(byWords.filter(({ age }) => near.has(age)).map(({ age, score }) => [age, score]));
  const added = [...near].flatMap(([age, similarity]) => {
    const score = scores.get(age);
    if (score === undefined && similarity < (plan.near?.minSimilarity ?? 0)) return [];
    return [{ age, score: (score ?? 0) + worth * wordScore(similarity, 1) }];
  });
  return [...others, ...added].sort(bestFirst);
}

/** The ages of matches in the order of age. */
function agesAfter(
  query: RankedQuery,
  { after, seen, limit }: { readonly after: number; readonly seen: readonly number[]; readonly limit: number },
): readonly number[] {
  const { kind, plan } = query;
  const source = sqliteDialect.source(kind, plan);
  const found = readPage(
    query,
    sql`SELECT ${rowColumns} ${matchingSql(sqliteDialect, kind, source)} ${unseen(seen)}
      AND ${sql.table(textTable(kind.name))}.rowid > CAST(${after} AS INTEGER) ORDER BY r.seq LIMIT ${limit}`,
  );
  return found.map(({ seq }) => Number(seq));
}

function unseen(shown: readonly number[]): Sql {
  if (shown.length === 0) return sql``;
  return sql`AND r.seq NOT IN (SELECT value FROM json_each(${JSON.stringify(shown)}))`;
}

interface SizedCandidate extends Candidate {
  readonly bytes: number;
}

/** The first candidates that match the whole query. */
function matchingCandidates(
  { connection, kind, plan }: RankedQuery,
  candidates: readonly Candidate[],
  wanted: number,
): readonly SizedCandidate[] {
  const { text: _text, ...rest } = plan;
  const source = {
    from: sql`json_each(${JSON.stringify(candidates.map(({ age }) => age))}) AS candidate CROSS JOIN ${fromSql(kind)} NOT INDEXED`,
    conditions: [sql`r.seq = candidate.value`],
    age: sql`r.seq`,
    rest,
  };
  const rows = connection.query(
    sqliteDialect.compile(
      sql`SELECT candidate.key AS place, octet_length(r.data) AS bytes ${matchingSql(sqliteDialect, kind, source)} LIMIT ${wanted}`,
    ),
  );
  return rows.flatMap(({ place, bytes }) => {
    const candidate = candidates[Number(place)];
    return candidate === undefined ? [] : [{ ...candidate, bytes: Number(bytes) }];
  });
}

/** Sorts candidates by their words and their size, and the best of them by BM25 over their texts and their nearness. */
function rankCandidates(
  query: RankedQuery,
  candidates: readonly SizedCandidate[],
  ranking: Ranking & TextStatistics,
): readonly number[] {
  const averageBytes = candidates.reduce((sum, { bytes }) => sum + bytes, 0) / candidates.length;
  const sorted = candidates
    .map((one) => ({ ...one, score: Math.max(one.score, Number.EPSILON) * wordScore(1, one.bytes / averageBytes) }))
    .sort(bestFirst);
  let total = 0;
  const compared = sorted.slice(0, maxCompared).filter(({ bytes }) => (total += bytes) <= maxComparedBytes);
  const worth = nearRarity(ranking);
  const ages = compared.map(({ age }) => age);
  readRows(query, ages);
  const exact = ages.map((age) => {
    const byWords = textScore(query.kind, query.rows.get(age)?.data ?? {}, ranking);
    return { age, score: byWords + worth * wordScore(query.near.get(age) ?? 0, 1) };
  });
  return [...exact.sort(bestFirst), ...sorted.slice(compared.length)].map(({ age }) => age);
}

function bestFirst(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.age - b.age;
}
