import type { ConceptScores } from "./fielded-bm25.ts";
import type { Ranked } from "./ranking.ts";
import { tuning } from "./tuning.ts";

/** Hits, and the part of their scores that comes from each concept: `shares[hit][concept]`. */
export interface ConceptShares {
  readonly hits: readonly Ranked[];
  readonly shares: readonly Float64Array[];
}

/** Computes the part of each hit's score that comes from each concept. */
export function attributeScores(
  hits: readonly Ranked[],
  concepts: readonly ConceptScores[],
  slots: number,
): ConceptShares {
  const shares = hits.map(() => new Float64Array(concepts.length));
  /** By slot: the index of its hit plus 1; 0 for slots without a hit. */
  const hitOf = new Uint16Array(slots);
  for (const [hit, { at }] of hits.entries()) hitOf[at] = hit + 1;
  for (const [at, { slots, scores }] of concepts.entries()) {
    for (let n = 0; n < slots.length; n += 1) {
      const hit = hitOf[slots[n] ?? 0] ?? 0;
      const row = hit === 0 ? undefined : shares[hit - 1];
      if (row !== undefined) row[at] = scores[n] ?? 0;
    }
  }
  return { hits, shares };
}

/**
 * Reorders hits so that they match different parts of the query (maximal marginal relevance). The best hit comes first.
 * Then comes each time the hit with the highest score, where concepts that earlier hits matched count less. If all hits
 * match the same words, their order stays.
 */
export function diversify({ hits, shares }: ConceptShares, limit: number): readonly Ranked[] {
  const answered = new Float64Array(shares[0]?.length ?? 0);
  const highest = answered.map((_, at) => shares.reduce((best, row) => Math.max(best, row[at] ?? 0), 0));
  const left = new Set(hits.keys());
  const chosen: Ranked[] = [];
  while (left.size > 0 && chosen.length < limit) {
    let best = -1;
    let bestValue = -1;
    for (const at of left) {
      const value = (hits[at]?.score ?? 0) * shareLeft(shares[at], answered);
      if (value <= bestValue) continue;
      best = at;
      bestValue = value;
    }
    left.delete(best);
    chosen.push(...hits.slice(best, best + 1));
    for (const [at, score] of shares[best]?.entries() ?? [])
      if (score > 0) answered[at] = Math.max(answered[at] ?? 0, score / (highest[at] ?? 1));
  }
  return chosen;
}

function shareLeft(row: Float64Array | undefined, answered: Float64Array): number {
  if (row === undefined) return 1;
  let all = 0;
  let left = 0;
  for (let at = 0; at < row.length; at += 1) {
    const score = row[at] ?? 0;
    all += score;
    left += score * (1 - tuning.answered * (answered[at] ?? 0));
  }
  return all === 0 ? 1 : left / all;
}
