/** The records that a text query ranks when more match than can be ranked, found by their rarest words. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import {
  candidateWords,
  commonShare,
  maxRanked,
  rarity,
  recordTable,
  type TextStatistics,
  type WordCount,
} from "@toolpacks/store-sql";
import { parseStored, type Connection } from "./connection.ts";
import { matchExpression, textTable } from "./sqlite-dialect.ts";

/** Number of the oldest and of the newest records with a word from which their number is estimated. */
const sampleSize = 500;
/** Up to this estimate, the records with a word are counted. */
const maxCounted = 20_000;
/** Maximum number of records of one list of candidates. */
const maxListed = 20_000;
/** Share of the records from which a word does not change the order of candidates. */
const ubiquitousShare = 0.3;
/** A column weight so large that BM25 depends only on which words a record has. */
const unlimited = 1e12;
/** The factor k1 + 1 of SQLite's BM25. */
const maxSaturation = 2.2;

type Text = NonNullable<QueryPlan["text"]>;

/** The number of records in the index, and of those with each word. Large numbers are estimates. */
export function textStatistics(connection: Connection, kind: KindLayout, { words }: Text): TextStatistics {
  const [first, last] = ageRange(connection, kind);
  const counts = words.map((word) => ({ word, count: countRecords(connection, kind, { word, first, last }) }));
  const rarest = counts.filter(({ count }) => count > 0).toSorted((a, b) => a.count - b.count)[0];
  const records =
    rarest === undefined || rarest.count > maxCounted ? last - first + 1 : recordsFromRarity(connection, kind, rarest);
  return { counts, records };
}

function ageRange(connection: Connection, kind: KindLayout): readonly [first: number, last: number] {
  const table = recordTable(kind.name);
  const ages = connection.one(
    `SELECT (SELECT min(seq) FROM ${table}) AS first, (SELECT max(seq) FROM ${table}) AS last`,
  );
  return [Number(ages?.["first"] ?? 0), Number(ages?.["last"] ?? 0)];
}

/** The records with a word, counted if they are few. Else their number follows from how close together the oldest and the newest of them are. */
function countRecords(
  connection: Connection,
  kind: KindLayout,
  { word, first, last }: { readonly word: string; readonly first: number; readonly last: number },
): number {
  const table = textTable(kind.name);
  const sample = (order: string) =>
    connection.one(
      `SELECT count(*) AS count, min(age) AS oldest, max(age) AS newest
       FROM (SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid ${order} LIMIT ${sampleSize})`,
      matchExpression([word], "all"),
    ) ?? {};
  const old = sample("ASC");
  if (Number(old["count"]) < sampleSize) return Number(old["count"]);
  const recent = sample("DESC");
  const spans = Number(old["newest"]) - first + 1 + last - Number(recent["oldest"]) + 1;
  const estimate = Math.round((2 * sampleSize * (last - first + 1)) / spans);
  return estimate <= maxCounted ? countExactly(connection, kind, word) : estimate;
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

/** A record and the sum of the rarities of those of its words that were looked up. */
export interface Candidate {
  readonly age: number;
  readonly score: number;
}

/** Finds the candidates of a query, those with the highest sums first. */
export function findCandidates(
  connection: Connection,
  kind: KindLayout,
  { text, statistics }: { readonly text: Text; readonly statistics: TextStatistics },
): readonly Candidate[] {
  const { counts, records } = statistics;
  const list = (expression: string, limits: Omit<ListRequest, "expression"> = {}) =>
    listAges(connection, kind, { expression, ...limits });
  const newest = { newest: maxListed };
  if (text.match === "all") return list(matchExpression(text.words, "all"), newest).map((age) => ({ age, score: 0 }));
  const { rare, middle } = candidateWords(statistics);
  const rarities = new Map(counts.map(({ word, count }) => [word, rarity(count, records)]));
  const scores = new Map<number, number>();
  const add = (word: string, ages: readonly number[]) => {
    const value = rarities.get(word) ?? 0;
    for (const age of ages) scores.set(age, (scores.get(age) ?? 0) + value);
  };
  for (const word of rare) add(word, list(matchExpression([word], "all")));
  const isLong = counts.some(({ word, count }) => middle.includes(word) && count > maxListed);
  const lists = middle.map((word) => ({ word, ages: list(matchExpression([word], "all"), isLong ? newest : {}) }));
  const from = isLong ? Math.max(0, ...lists.map(({ ages }) => ages[0] ?? 0)) : 0;
  for (const { word, count } of counts) {
    if (rare.includes(word) || middle.includes(word) || count >= ubiquitousShare * records) continue;
    const others = count < commonShare * records ? [...rare, ...middle] : rare;
    if (others.length > 0)
      add(word, list(`${matchExpression([word], "all")} AND (${matchExpression(others, "any")})`, { from }));
  }
  addSeveral(scores, lists);
  for (const { word, ages } of lists) {
    add(
      word,
      ages.filter((age) => scores.has(age)),
    );
  }
  if (scores.size < maxRanked) {
    // Less telling words alone make candidates, too.
    for (const { word, ages } of lists) add(word, ages.filter((age) => !scores.has(age)).slice(-maxRanked));
    for (const age of list(matchExpression(text.words, "any"), { newest: maxRanked })) addOnce(scores, age);
  }
  return [...scores].map(([age, score]) => ({ age, score })).sort((a, b) => b.score - a.score || b.age - a.age);
}

/** Adds the records that are in several lists, without a score. */
function addSeveral(scores: Map<number, number>, lists: readonly { readonly ages: readonly number[] }[]): void {
  const [first, ...others] = lists;
  if (first === undefined || others.length === 0) return;
  const seen = new Set(first.ages);
  for (const { ages } of others)
    for (const age of ages) {
      if (seen.has(age)) addOnce(scores, age);
      else seen.add(age);
    }
}

function addOnce(scores: Map<number, number>, age: number): void {
  if (!scores.has(age)) scores.set(age, 0);
}

interface ListRequest {
  readonly expression: string;
  /** Only this number of the newest records. */
  readonly newest?: number;
  /** Only records of this age or newer. */
  readonly from?: number;
}

/** The ages of the records that match an expression, oldest first. */
function listAges(
  connection: Connection,
  kind: KindLayout,
  { expression, newest, from = 0 }: ListRequest,
): readonly number[] {
  const table = textTable(kind.name);
  const order = newest === undefined ? "" : `ORDER BY rowid DESC LIMIT ${newest}`;
  // SQLite ignores a bound of the row id that is not an integer.
  const found = connection.one(
    `SELECT json_group_array(age) AS ages
     FROM (SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? AND rowid >= CAST(? AS INTEGER) ${order})`,
    expression,
    from,
  );
  const ages = parseStored(found?.["ages"] ?? "[]") as readonly number[];
  return newest === undefined ? ages : ages.toReversed();
}
