import type { ConceptScores } from "./fielded-bm25.ts";
import type { Ranked } from "./ranking.ts";
import { tuning } from "./tuning.ts";

/** A document and its score for the whole query. */
export interface Scored extends Ranked {
  readonly slot: number;
}

/** Hits, and what each of them owes to each concept: `owed[hit][concept]`. */
export interface ConceptShares {
  readonly hits: readonly Scored[];
  readonly owed: readonly Float64Array[];
}

/** Works out what the hits owe to each concept. */
export function attributeScores(hits: readonly Scored[], concepts: readonly ConceptScores[], slots: number): ConceptShares {
  const owed = hits.map(() => new Float64Array(concepts.length));
  /** One more than a slot's place among the hits; 0 for the others. */
  const hitOf = new Uint16Array(slots);
  for (const [at, { slot }] of hits.entries()) hitOf[slot] = at + 1;
  for (const [at, { slots, scores }] of concepts.entries()) {
    for (let n = 0; n < slots.length; n += 1) {
      const hit = hitOf[slots[n] ?? 0] ?? 0;
      const row = hit === 0 ? undefined : owed[hit - 1];
      if (row !== undefined) row[at] = scores[n] ?? 0;
    }
  }
  return { hits, owed };
}

/**
 * Orders hits so that they answer different parts of the query: the best first, then each time the one with the most left
 * when what the chosen ones have answered counts less. A sentence that asks for two things has both near the top; where all
 * hits answer the same words, their order stays.
 */
export function diversify({ hits, owed }: ConceptShares, most: number): readonly Scored[] {
  const answered = new Float64Array(owed[0]?.length ?? 0);
  const highest = answered.map((_, at) => owed.reduce((best, row) => Math.max(best, row[at] ?? 0), 0));
  const left = new Set(hits.keys());
  const chosen: Scored[] = [];
  while (left.size > 0 && chosen.length < most) {
    let best = -1;
    let bestValue = -1;
    for (const at of left) {
      const value = (hits[at]?.score ?? 0) * shareLeft(owed[at], answered);
      if (value <= bestValue) continue;
      best = at;
      bestValue = value;
    }
    left.delete(best);
    chosen.push(...hits.slice(best, best + 1));
    for (const [at, score] of owed[best]?.entries() ?? [])
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
