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
  score: number;
}

/** Finds the candidates of a query, those with the highest sums first, and the rarity of each of its words. */
export function findCandidates(
  connection: Connection,
  kind: KindLayout,
  {
    text: { words, match },
    statistics,
  }: { readonly text: NonNullable<QueryPlan["text"]>; readonly statistics: TextStatistics },
) {
  const { counts, records } = statistics;
  const rarities = new Map(counts.map(({ word, count }) => [word, rarity(count, records)]));
  const table = textTable(kind.name);
  /** The ages of the records that match an expression, the oldest first. With `newest`: of that many of the newest, the newest first. */
  const list = (expression: string, newest?: number) => {
    const order = newest === undefined ? "" : `DESC LIMIT ${newest}`;
    const found = `SELECT rowid AS age FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid ${order}`;
    const listed = connection.one(`SELECT json_group_array(age) AS ages FROM (${found})`, expression);
    return parseStored(listed?.["ages"]) as readonly number[];
  };
  if (match === "all") {
    const ages = list(matchExpression(words, "all"), maxListed);
    return { candidates: ages.map((age) => ({ age, score: 0 })), rarities };
  }
  const { minScore, newest } = candidateWords(statistics);
  const newestAges = list(matchExpression(newest, "any"), maxRanked);
  let scored: readonly Candidate[] = newestAges.map((age) => ({ age, score: 0 })).reverse();
  const rarest: string[] = [];
  let listed = 0;
  // Every record with one of the rarest words is listed, and its other words that are not common.
  const rarestFirst = counts.toSorted((a, b) => a.count - b.count);
  for (const [at, { word, count }] of rarestFirst.entries()) {
    listed += count;
    const isListed = listed <= maxListed;
    if (!isListed && (rarest.length === 0 || count >= commonShare * records)) break;
    const beside = isListed ? "" : ` AND (${matchExpression(rarest, "any")})`;
    const ages = list(`${matchExpression([word], "all")}${beside}`);
    // A record that has none of the words before is a candidate only if this word and those after it are rare enough.
    const most = rarestFirst.slice(at).reduceRight((sum, one) => rarity(one.count, records) + sum, 0);
    if (isListed) {
      rarest.push(word);
      rarities.set(word, rarity(ages.length, records));
    }
    scored = addScore(scored, ages, { value: rarities.get(word) ?? 0, isAdded: most >= minScore });
  }
  const isNewest = new Set(newestAges);
  const found = scored.filter(({ age, score }) => score >= minScore || isNewest.has(age)).reverse();
  // There are few different sums: sorting their groups is faster than sorting the records.
  const byScore = [...Map.groupBy(found, ({ score }) => score)].sort(([a], [b]) => b - a);
  return { candidates: byScore.flatMap(([, same]) => same), rarities };
}

/** Adds a number to the scores of the records of some ages. All are ascending. @param isAdded whether other records are added */
function addScore(
  known: readonly Candidate[],
  ages: readonly number[],
  { value, isAdded }: { readonly value: number; readonly isAdded: boolean },
): readonly Candidate[] {
  const added: Candidate[] = [];
  let at = 0;
  for (const age of ages) {
    while ((known[at]?.age ?? age) < age) at += 1;
    const record = known[at];
    if (record?.age === age) record.score += value;
    else if (isAdded) added.push({ age, score: value });
  }
  return added.length === 0 ? known : [...known, ...added].sort((a, b) => a.age - b.age);
}
