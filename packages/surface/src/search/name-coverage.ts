import type { FieldIndex } from "./field-index.ts";
import type { Scorer } from "./fielded-bm25.ts";
import type { Concept } from "./query.ts";
import { tuning } from "./tuning.ts";

/**
 * Creates a function that multiplies the score of each tool by the share of its name that the query contains, weighted by rarity. This ranks
 * `create_issue` above `create_issue_comment` when both hold every word of the query.
 */
export function createNameCoverage({ documents }: FieldIndex, scorer: Scorer) {
  const holders = new Map<number, number[]>();
  /** The rarity of the whole name, by slot. */
  const totals: number[] = [];
  for (const [slot, { name }] of documents.entries()) {
    totals[slot] = name.reduce((sum, stem) => sum + scorer.rarity(stem), 0);
    for (const stem of name) {
      const slots = holders.get(stem);
      if (slots === undefined) holders.set(stem, [slot]);
      else slots.push(slot);
    }
  }
  return (scores: Float64Array, concepts: readonly Concept[]) => {
    const covered = new Float64Array(scores.length);
    for (const [stem, weight] of stemWeights(concepts)) {
      const worth = weight * scorer.rarity(stem);
      for (const slot of holders.get(stem) ?? []) covered[slot] = (covered[slot] ?? 0) + worth;
    }
    for (let slot = 0; slot < scores.length; slot += 1) {
      const share = (covered[slot] ?? 0) / (totals[slot] ?? 1);
      if (share > 0) scores[slot] = (scores[slot] ?? 0) * (1 + tuning.nameCoverage * share);
    }
  };
}

/** The weight of each stem of a query: 1 for its own words, less for substitutes. */
function stemWeights(concepts: readonly Concept[]): ReadonlyMap<number, number> {
  const weights = new Map<number, number>();
  for (const { stems } of concepts)
    for (const { term, weight } of stems) weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  return weights;
}
