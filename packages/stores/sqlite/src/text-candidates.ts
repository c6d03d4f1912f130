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
  const scores = new Map<number, number>();
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
    const value = rarities.get(word) ?? 0;
    for (const age of ages) scores.set(age, (scores.get(age) ?? 0) + value);
  }
  const { minScore, newest } = candidateWords(statistics);
  const found = new Set(list(matchExpression(newest, "any"), maxRanked));
  for (const [age, score] of scores) if (score >= minScore) found.add(age);
  const candidates = [...found].map((age) => ({ age, score: scores.get(age) ?? 0 }));
  return { candidates: candidates.sort((a, b) => b.score - a.score || b.age - a.age), rarities };
}

interface ListRequest {
  readonly expression: string;
  /** Only this number of the newest records. */
  readonly newest: number | undefined;
}

/** The ages of the records that match an expression. */
function listAges(connection: Connection, kind: KindLayout, { expression, newest }: ListRequest): readonly number[] {
  const table = textTable(kind.name);
  const order = newest === undefined ? "" : `ORDER BY rowid DESC LIMIT ${newest}`;
  const found = connection.one(
    `SELECT json_group_array(age) AS ages FROM (SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? ${order})`,
    expression,
  );
  return parseStored(found?.["ages"] ?? "[]") as readonly number[];
}
