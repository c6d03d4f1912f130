/** A page of a text query, best first. */
import type { RecordData } from "@toolpacks/core";
import type { FindResult, KindLayout, QueryPlan } from "@toolpacks/store";
import {
  decodeShown,
  encodeShown,
  fromSql,
  isBeyondRanked,
  matchingSql,
  maxExhaustive,
  nearRarity,
  rarity,
  rowColumns,
  shownUpTo,
  type Sql,
  type TextStatistics,
} from "@toolpacks/store-sql";
import { sql } from "kysely";
import { parseStored, type Connection } from "./connection.ts";
import { findNear } from "./record-vectors.ts";
import { sqliteDialect, textTable, matchExpression } from "./sqlite-dialect.ts";
import { findCandidates, textStatistics, type Candidate } from "./text-candidates.ts";
import { averageLength, countWords, wordScore, type CountedWords } from "./text-rank.ts";

/** A page of rows without its total. */
export type FoundPage = Pick<FindResult, "resume"> & { readonly rows: readonly Readonly<Record<string, unknown>>[] };

interface RankedQuery {
  readonly connection: Connection;
  readonly kind: KindLayout;
  readonly plan: QueryPlan;
  readonly text: NonNullable<QueryPlan["text"]>;
  /** The ages of the records on earlier pages. */
  readonly shown: readonly number[];
  /** The similarities of the other records that are near to the query, by their age, nearest first. */
  readonly near: ReadonlyMap<number, number>;
}

/** Number of the best candidates whose texts are read. */
const maxCompared = 80;
/** Maximum bytes of the records whose texts are read. */
const maxComparedBytes = 100_000;
/** Number of candidates whose filter is checked at once. */
const checkedAtOnce = 300;

/** Finds the page after a position. The records by rank come first, then all others by age. */
export function findRanked(connection: Connection, kind: KindLayout, plan: QueryPlan): FoundPage {
  const position = decodeShown(plan.after);
  const text = plan.text ?? { words: [], match: "all" };
  const { shown } = position;
  const isRanked = !isBeyondRanked(position);
  const found = (isRanked ? findNear(connection, kind, plan) : []).filter(({ age }) => !shown.includes(age));
  const near = new Map(found.map(({ age, similarity }) => [age, similarity]));
  const query = { connection, kind, plan, text, shown, near };
  const ranked = isRanked ? rankedAges(query).slice(0, plan.limit + 1) : [];
  const missing = plan.limit + 1 - ranked.length;
  const seen = [...position.shown, ...ranked];
  const byAge = missing > 0 ? agesAfter(query, { after: position.after ?? 0, seen, limit: missing }) : [];
  return {
    rows: readRows(query, [...ranked, ...byAge]),
    resume: (at) => encodeShown(shownUpTo(position, { ranked, byAge }, at)),
  };
}

function readRows({ connection, kind }: RankedQuery, ages: readonly number[]): FoundPage["rows"] {
  return connection.query(
    sqliteDialect.compile(sql`SELECT ${rowColumns} FROM json_each(${JSON.stringify(ages)}) AS page
      CROSS JOIN ${fromSql(kind)} WHERE r.seq = page.value ORDER BY page.key`),
  );
}

/** The ages of the matches that can be ranked, best first. */
function rankedAges(query: RankedQuery): readonly number[] {
  const { connection, kind, text, plan, shown } = query;
  const statistics = textStatistics(connection, kind, text);
  const matches = statistics.counts.reduce((sum, { count }) => sum + count, 0);
  if (matches <= maxExhaustive) return rankAll(query, statistics);
  const before = new Set(shown);
  const byWords = findCandidates(connection, kind, { text, statistics }).filter(({ age }) => !before.has(age));
  const found = addNear(query, byWords, statistics);
  const wanted = Math.max(checkedAtOnce, plan.limit + 1);
  const candidates = matchingCandidates(query, found, wanted);
  // The filter leaves few of them, so that the best of its records may be others.
  if (candidates.length < wanted && candidates.length * 2 < found.length) return rankAll(query, statistics);
  return rankCandidates(query, candidates, statistics);
}

/** Ranks every match. BM25 reads the lists of all words, so this takes longer the more records have them. */
function rankAll(query: RankedQuery, statistics: TextStatistics): readonly number[] {
  const { connection, kind, plan, shown } = query;
  const source = sqliteDialect.source(kind, plan);
  const found = connection.query(
    sqliteDialect.compile(sql`SELECT r.seq AS age, bm25(${sql.table(textTable(kind.name))}, 2.0, 1.0) AS rank
      ${matchingSql(sqliteDialect, kind, source)} ${unseen(shown)} ORDER BY rank, age LIMIT ${plan.limit + 1}`),
  );
  const byWords = found.map(({ age, rank }) => ({ age: Number(age), score: -Number(rank) }));
  return addNear(query, byWords, statistics).map(({ age }) => age);
}

/** Adds the records that are near, and what their nearness is worth. Best first. */
function addNear(
  { near, plan }: RankedQuery,
  byWords: readonly Candidate[],
  statistics: TextStatistics,
): readonly Candidate[] {
  if (near.size === 0) return byWords;
  const worth = nearRarity(statistics);
  const scores = new Map(byWords.map(({ age, score }) => [age, score]));
  for (const [age, similarity] of near) {
    const score = scores.get(age);
    if (score === undefined && similarity < (plan.near?.minSimilarity ?? 0)) continue;
    scores.set(age, (score ?? 0) + worth * wordScore(similarity, 1));
  }
  const scored = [...scores].map(([age, score]) => ({ age, score }));
  return scored.sort((a, b) => b.score - a.score || a.age - b.age);
}

/** The ages of matches in the order of age. */
function agesAfter(
  { connection, kind, plan }: RankedQuery,
  { after, seen, limit }: { readonly after: number; readonly seen: readonly number[]; readonly limit: number },
): readonly number[] {
  const source = sqliteDialect.source(kind, plan);
  const found = connection.query(
    sqliteDialect.compile(sql`SELECT r.seq AS age ${matchingSql(sqliteDialect, kind, source)} ${unseen(seen)}
      AND ${sql.table(textTable(kind.name))}.rowid > CAST(${after} AS INTEGER) ORDER BY age LIMIT ${limit}`),
  );
  return found.map(({ age }) => Number(age));
}

function unseen(shown: readonly number[]): Sql {
  if (shown.length === 0) return sql``;
  return sql`AND r.seq NOT IN (SELECT value FROM json_each(${JSON.stringify(shown)}))`;
}

interface SizedCandidate extends Candidate {
  readonly bytes: number;
}

/** The candidates that match the whole query, from the best one until there are enough. */
function matchingCandidates(
  { connection, kind, plan }: RankedQuery,
  candidates: readonly Candidate[],
  wanted: number,
): readonly SizedCandidate[] {
  const { text: _text, ...rest } = plan;
  const matching: SizedCandidate[] = [];
  for (let from = 0; from < candidates.length && matching.length < wanted; from += checkedAtOnce) {
    const some = new Map(candidates.slice(from, from + checkedAtOnce).map(({ age, score }) => [age, score]));
    const source = {
      from: sql`json_each(${JSON.stringify([...some.keys()])}) AS candidate CROSS JOIN ${fromSql(kind)} NOT INDEXED`,
      conditions: [sql`r.seq = candidate.value`],
      age: sql`r.seq`,
      rest,
    };
    const rows = connection.query(
      sqliteDialect.compile(
        sql`SELECT r.seq AS age, octet_length(r.data) AS bytes ${matchingSql(sqliteDialect, kind, source)}`,
      ),
    );
    for (const row of rows) {
      const age = Number(row["age"]);
      matching.push({ age, bytes: Number(row["bytes"]), score: some.get(age) ?? 0 });
    }
  }
  return matching;
}

/** Sorts candidates by their words and their size, and the best of them by BM25 over their texts. */
function rankCandidates(
  query: RankedQuery,
  candidates: readonly SizedCandidate[],
  statistics: TextStatistics,
): readonly number[] {
  const averageBytes = candidates.reduce((sum, { bytes }) => sum + bytes, 0) / candidates.length;
  const sized = candidates.map(({ age, bytes, score }) => ({
    age,
    bytes,
    score: Math.max(score, Number.EPSILON) * wordScore(1, bytes / averageBytes),
  }));
  const sorted = sized.toSorted((a, b) => b.score - a.score || a.age - b.age);
  const compared: number[] = [];
  let bytes = 0;
  for (const one of sorted.slice(0, maxCompared)) {
    bytes += one.bytes;
    if (bytes > maxComparedBytes) break;
    compared.push(one.age);
  }
  return [...rankByText(query, compared, statistics), ...sorted.slice(compared.length).map(({ age }) => age)];
}

interface ComparedText extends CountedWords {
  readonly age: number;
}

function rankByText(
  query: RankedQuery,
  ages: readonly number[],
  { counts, records }: TextStatistics,
): readonly number[] {
  const wanted = new Set(query.text.words);
  const texts = readRows(query, ages).map(({ seq, data }): ComparedText => {
    return { age: Number(seq), ...countWords(query.kind, parseStored(data) as RecordData, wanted) };
  });
  const rarities = new Map(counts.map(({ word, count }) => [word, rarity(count, records)]));
  const average = averageTextLength(query, texts, { counts, records });
  const scored = texts.map(({ age, occurrences, length }) => {
    const parts = [...occurrences].map(
      ([word, times]) => (rarities.get(word) ?? 0) * wordScore(times, length / average),
    );
    const byMeaning = nearRarity({ counts, records }) * wordScore(query.near.get(age) ?? 0, 1);
    return { age, score: parts.reduce((sum, part) => sum + part, byMeaning) };
  });
  return scored.toSorted((a, b) => b.score - a.score || a.age - b.age).map(({ age }) => age);
}

/** The average length of all texts in words, which SQLite tells only by a rank; else that of the compared texts. */
function averageTextLength(
  { connection, kind }: RankedQuery,
  texts: readonly ComparedText[],
  { counts, records }: TextStatistics,
): number {
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const rarest = counts.filter(({ count }) => count > 0).toSorted((a, b) => a.count - b.count)[0];
  const sample = rarest && texts.find(({ occurrences }) => occurrences.has(rarest.word));
  if (rarest === undefined || sample === undefined || rarest.count > maxExhaustive) return mean;
  const table = textTable(kind.name);
  const found = connection.one(
    `SELECT bm25(${table}, 2.0, 1.0) AS rank FROM ${table} WHERE ${table} MATCH ? AND rowid = CAST(? AS INTEGER)`,
    matchExpression([rarest.word], "all"),
    sample.age,
  );
  const score = -Number(found?.["rank"]) / rarity(rarest.count, records);
  const { length, occurrences } = sample;
  return averageLength({ length, occurrences: occurrences.get(rarest.word) ?? 0 }, score) ?? mean;
}
