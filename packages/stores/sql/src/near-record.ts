/** Records that are found by their vectors: among which, how many, and what their nearness is worth. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import { sql } from "kysely";
import { rarity, type TextStatistics } from "./candidate-words.ts";
import { matchingSql } from "./query-sql.ts";
import type { Sql, SqlDialect } from "./sql-dialect.ts";

/** Maximum number of the newest vectors that a query is compared with. */
const maxCompared = 50_000;
/** The same for a query with further conditions, or of several workspaces. */
const maxComparedMatches = 5_000;
/** Maximum number of records that are found by their vectors. */
export const maxNear = 40;
/** The lowest similarity that counts for a record with a word of the query. */
const minSimilarity = 0.05;

const dimensions = 384;

/** A record that is near to a query. */
export interface NearRecord {
  readonly age: number;
  /** An estimate of the cosine of the two vectors, at most 1. */
  readonly similarity: number;
}

/**
 * The records that are near, nearest first, of equally near ones the newest first. The share of different signs is the angle between two vectors.
 *
 * @param lowest the lowest similarity of a record with no word of the query
 */
export function nearestOf(
  ages: readonly number[],
  distances: ArrayLike<number>,
  lowest: number,
): readonly NearRecord[] {
  const counts = new Uint32Array(dimensions + 1);
  for (let at = 0; at < ages.length; at += 1) counts[distances[at] ?? 0] = (counts[distances[at] ?? 0] ?? 0) + 1;
  let [farthest, count] = [0, counts[0] ?? 0];
  const maxDistance = Math.floor((Math.acos(Math.min(minSimilarity, lowest)) * dimensions) / Math.PI);
  while (farthest < maxDistance && count < maxNear) count += counts[(farthest += 1)] ?? 0;
  const found: { readonly age: number; readonly distance: number }[] = [];
  for (let at = 0; at < ages.length; at += 1) {
    const distance = distances[at] ?? 0;
    if (distance <= farthest) found.push({ age: ages[at] ?? 0, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance || b.age - a.age)
    .slice(0, maxNear)
    .map(({ age, distance }) => ({ age, similarity: Math.cos((Math.PI * distance) / dimensions) }));
}

/** Whether a plan asks for all open records of one workspace that have its text. */
export function isOfWholeWorkspace({ workspaces, where, includeClosed, sinceGeneration }: QueryPlan): boolean {
  return workspaces.length === 1 && where === undefined && !includeClosed && sinceGeneration === undefined;
}

/** The ages and signs of the newest vectors of records that match a plan without its text. */
export function comparedVectorsSql(dialect: SqlDialect, kind: KindLayout, plan: QueryPlan): Sql {
  const { near, workspaces } = plan;
  const set = sql`v.vector_set = ${near?.set}`;
  if (isOfWholeWorkspace(plan)) {
    return sql`SELECT v.seq, v.signs FROM record_vector AS v
      WHERE ${set} AND v.workspace = (SELECT number FROM workspace WHERE name = ${workspaces[0]}) AND v.closed = 0
      ORDER BY v.seq DESC LIMIT ${maxCompared}`;
  }
  const matching = matchingSql(dialect, kind, dialect.source(kind, { ...plan, text: undefined, sort: [] }));
  return sql`SELECT v.seq, v.signs FROM (
      SELECT r.seq, r.workspace, r.closed ${matching} ORDER BY r.seq DESC LIMIT ${maxComparedMatches}
    ) AS newest CROSS JOIN record_vector AS v
    WHERE ${set} AND v.workspace = newest.workspace AND v.closed = newest.closed AND v.seq = newest.seq`;
}

/** Number of a query's rarest words that nearness is worth. */
const wordsWorth = 4;
/** What nearness is worth beside these words. */
const meaningWeight = 1;

/** What a similarity of 1 is worth, as the rarity of a word: that of the query's rarest words together. */
export function nearRarity({ counts, records }: TextStatistics): number {
  const rarities = counts.map(({ count }) => rarity(count, records)).toSorted((a, b) => b - a);
  return meaningWeight * rarities.slice(0, wordsWorth).reduce((sum, value) => sum + value, 0);
}
