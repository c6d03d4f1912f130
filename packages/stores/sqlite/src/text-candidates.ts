/** The records that a text query ranks when more match than can be ranked, found by their rarest words. */
import type { KindLayout, QueryPlan } from "@toolpacks/core/store";
import { candidateWords, maxRanked, rarity, recordTable, type WordCount } from "@toolpacks/store-sql";
import type { Connection } from "./connection.ts";
import { matchExpression, textTable } from "./sqlite-dialect.ts";

/** Up to this number, the records with a word are counted. */
const maxCountedRecords = 2_000;
/** Maximum number of records of one list of candidates. */
const maxListed = 5_000;
/** Share of the records from which a word does not change the order of candidates. */
const ubiquitousShare = 0.3;
/** A column weight so large that BM25 depends only on which words a record has. */
const unlimited = 1e12;
/** The factor k1 + 1 of SQLite's BM25. */
const maxSaturation = 2.2;

export interface TextStatistics {
  readonly counts: readonly WordCount[];
  /** Number of records in the index. */
  readonly records: number;
}

type Text = NonNullable<QueryPlan["text"]>;

/** The number of records in the index, and of those with each word. Large numbers are estimates. */
export function textStatistics(connection: Connection, kind: KindLayout, { words }: Text): TextStatistics {
  const [first, last] = ageRange(connection, kind);
  const counts = words.map((word) => ({ word, count: countRecords(connection, kind, { word, first, last }) }));
  const rarest = counts.filter(({ count }) => count > 0).toSorted((a, b) => a.count - b.count)[0];
  const records =
    rarest === undefined || rarest.count >= maxCountedRecords
      ? last - first + 1
      : recordsFromRarity(connection, kind, rarest);
  return { counts, records };
}

function ageRange(connection: Connection, kind: KindLayout): readonly [first: number, last: number] {
  const table = recordTable(kind.name);
  const ages = connection.one(`SELECT (SELECT min(seq) FROM ${table}) AS first, (SELECT max(seq) FROM ${table}) AS last`);
  return [Number(ages?.["first"] ?? 0), Number(ages?.["last"] ?? 0)];
}

/** The records with a word. From `maxCountedRecords`, the number follows from how close together the oldest and the newest of them are. */
function countRecords(
  connection: Connection,
  kind: KindLayout,
  { word, first, last }: { readonly word: string; readonly first: number; readonly last: number },
): number {
  const table = textTable(kind.name);
  const half = (order: string) =>
    connection.one(
      `SELECT count(*) AS count, min(age) AS oldest, max(age) AS newest
       FROM (SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid ${order} LIMIT ?)`,
      matchExpression([word], "all"),
      maxCountedRecords / 2,
    ) ?? {};
  const old = half("ASC");
  const count = Number(old["count"]);
  if (count < maxCountedRecords / 2) return count;
  const recent = half("DESC");
  const isCounted = Number(recent["oldest"]) <= Number(old["newest"]);
  if (isCounted) return countExactly(connection, kind, word);
  const density = Math.min(
    count / (Number(old["newest"]) - first + 1),
    count / (last - Number(recent["oldest"]) + 1),
  );
  return Math.max(maxCountedRecords, Math.round(density * (last - first + 1)));
}

function countExactly(connection: Connection, kind: KindLayout, word: string): number {
  const table = textTable(kind.name);
  const found = connection.one(
    `SELECT count(*) AS count FROM ${table} WHERE ${table} MATCH ?`,
    matchExpression([word], "all"),
  );
  return Number(found?.["count"]);
}

/** The number of records in the index, which SQLite tells only by the rarity of a word in BM25. */
function recordsFromRarity(connection: Connection, kind: KindLayout, { word, count }: WordCount): number {
  const table = textTable(kind.name);
  const found = connection.one(
    `SELECT bm25(${table}, ?, ?) AS rank FROM ${table} WHERE ${table} MATCH ? LIMIT 1`,
    unlimited,
    unlimited,
    matchExpression([word], "all"),
  );
  const odds = Math.exp(-Number(found?.["rank"] ?? 0) / maxSaturation);
  return Math.round((count + 0.5) * odds + count - 0.5);
}

/** Finds the candidates of a query: their ages, with the sum of the rarities of the words that they have. */
export function findCandidates(
  connection: Connection,
  kind: KindLayout,
  { text, statistics }: { readonly text: Text; readonly statistics: TextStatistics },
): ReadonlyMap<number, number> {
  const list = (expression: string, from = 0) => listAges(connection, kind, { expression, from });
  const { counts, records } = statistics;
  if (text.match === "all") return new Map([...list(matchExpression(text.words, "all"))].map((age) => [age, 0]));
  const { rare, pairs } = candidateWords(counts, records);
  const middle = pairs.map(({ word }) => word);
  const newestFrom = oldestOfNewest(connection, kind, text.words);
  const scores = new Map<number, number>();
  for (const { word, count } of counts) {
    const ages = new Set(list(matchExpression([word], "all"), newestFrom));
    const pair = pairs.find((one) => one.word === word);
    // The words that make a record with this word a candidate.
    const others = [...rare, ...middle, ...(pair?.partners ?? [])].filter((other) => other !== word);
    if (rare.includes(word) || (pair !== undefined && pair.partners.length === 0))
      for (const age of list(matchExpression([word], "all"))) ages.add(age);
    else if (count < ubiquitousShare * records && others.length > 0)
      for (const age of list(`${matchExpression([word], "all")} AND (${matchExpression(others, "any")})`)) ages.add(age);
    const value = rarity(count, records);
    for (const age of ages) scores.set(age, (scores.get(age) ?? 0) + value);
  }
  return scores;
}

/** The age from which the newest records with any of the words are candidates. */
function oldestOfNewest(connection: Connection, kind: KindLayout, words: readonly string[]): number {
  const table = textTable(kind.name);
  const found = connection.one(
    `SELECT min(age) AS age FROM (SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid DESC LIMIT ?)`,
    matchExpression(words, "any"),
    maxRanked,
  );
  return Number(found?.["age"] ?? 0);
}

/** The ages of the newest records that match an expression. */
function listAges(
  connection: Connection,
  kind: KindLayout,
  { expression, from }: { readonly expression: string; readonly from: number },
): readonly number[] {
  const table = textTable(kind.name);
  const found = connection.one(
    `SELECT json_group_array(age) AS ages
     FROM (SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? AND rowid >= ? ORDER BY rowid DESC LIMIT ?)`,
    expression,
    from,
    maxListed,
  );
  return JSON.parse(String(found?.["ages"] ?? "[]")) as number[];
}
