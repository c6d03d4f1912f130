/** The records that a text query ranks when more match than can be ranked. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import { candidateWords, commonShare, maxRanked, rarity, type TextStatistics } from "@toolpacks/store-sql";
import { parseStored, type Connection } from "./connection.ts";
import { matchExpression, textTable } from "./sqlite-dialect.ts";

/** Number of records up to which all records with the rarest words are listed. */
const maxListed = 20_000;

/** A record and the sum of the rarities of those of its words that were looked up. */
export interface Candidate {
  readonly age: number;
  readonly score: number;
}

interface Candidates {
  /** Those with the highest sums first. */
  readonly candidates: readonly Candidate[];
  /** The rarity of each word of the query. */
  readonly rarities: ReadonlyMap<string, number>;
}

/** Finds the candidates of a query. */
export function findCandidates(
  connection: Connection,
  kind: KindLayout,
  {
    text: { words, match },
    statistics,
  }: { readonly text: NonNullable<QueryPlan["text"]>; readonly statistics: TextStatistics },
): Candidates {
  const { counts, records } = statistics;
  const rarities = new Map(counts.map(({ word, count }) => [word, rarity(count, records)]));
  const list = (expression: string, newest?: number) => listAges(connection, kind, { expression, newest });
  if (match === "all") {
    const ages = list(matchExpression(words, "all"), maxListed);
    return { candidates: ages.map((age) => ({ age, score: 0 })), rarities };
  }
  let scored: readonly Candidate[] = [];
  const rarest: string[] = [];
  let listed = 0;
  // Every record with one of the rarest words is listed, and its other words that are not common.
  for (const { word, count } of counts.toSorted((a, b) => a.count - b.count)) {
    listed += count;
    const isListed = listed <= maxListed;
    if (!isListed && (rarest.length === 0 || count >= commonShare * records)) break;
    const beside = isListed ? "" : ` AND (${matchExpression(rarest, "any")})`;
    const ages = list(`${matchExpression([word], "all")}${beside}`);
    if (isListed) {
      rarest.push(word);
      rarities.set(word, rarity(ages.length, records));
    }
    scored = addScore(scored, ages, rarities.get(word) ?? 0);
  }
  const { minScore, newest } = candidateWords(statistics);
  const isKnown = newest.length === counts.length && rarest.length === counts.length;
  const newestAges = isKnown
    ? scored.slice(-maxRanked).map(({ age }) => age)
    : list(matchExpression(newest, "any"), maxRanked).toReversed();
  const isNewest = new Set(newestAges);
  const found = addScore(scored, newestAges, 0).filter(({ age, score }) => score >= minScore || isNewest.has(age));
  // There are few different sums: sorting their groups is faster than sorting the records.
  const byScore = [...Map.groupBy(found.reverse(), ({ score }) => score)].sort(([a], [b]) => b - a);
  return { candidates: byScore.flatMap(([, same]) => same), rarities };
}

/** Adds a number to the scores of the records of some ages. Both lists are ascending. */
function addScore(known: readonly Candidate[], ages: readonly number[], value: number): readonly Candidate[] {
  const all: Candidate[] = [];
  let at = 0;
  for (const age of ages) {
    for (; (known[at]?.age ?? age) < age; at += 1) all.push(known[at] as Candidate);
    const isKnown = known[at]?.age === age;
    all.push({ age, score: (isKnown ? (known[at]?.score ?? 0) : 0) + value });
    if (isKnown) at += 1;
  }
  return [...all, ...known.slice(at)];
}

interface ListRequest {
  readonly expression: string;
  /** Only this number of the newest records. */
  readonly newest: number | undefined;
}

/** The ages of the records that match an expression, ascending; of the newest ones descending. */
function listAges(connection: Connection, kind: KindLayout, { expression, newest }: ListRequest): readonly number[] {
  const table = textTable(kind.name);
  const order = newest === undefined ? "" : `DESC LIMIT ${newest}`;
  const found = connection.one(
    `SELECT json_group_array(age) AS ages FROM (SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid ${order})`,
    expression,
  );
  return parseStored(found?.["ages"] ?? "[]") as readonly number[];
}
