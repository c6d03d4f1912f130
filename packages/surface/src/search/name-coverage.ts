import type { Document } from "./document-slots.ts";
import type { Scorer } from "./fielded-bm25.ts";
import type { Lexicon } from "./lexicon.ts";
import type { Concept } from "./query.ts";
import { stemsOf } from "./terms.ts";
import { tuning } from "./tuning.ts";

/** The names of a catalog's tools, stem by stem. */
export interface NameCoverage {
  /**
   * Multiplies the scores of tools for the share of their names that the query says, by rarity. It is what tells
   * `create_issue` from `create_issue_comment` when both hold every word of the query.
   */
  raise(scores: Float64Array, concepts: readonly Concept[]): void;
}

export function createNameCoverage(documents: readonly Document[], { rarity }: Scorer, lexicon: Lexicon): NameCoverage {
  const holders = new Map<number, number[]>();
  const totals = new Map<number, number>();
  for (const { slot, name } of documents) {
    totals.set(
      slot,
      name.reduce((sum, stem) => sum + rarity(stem), 0),
    );
    for (const stem of name) {
      const slots = holders.get(stem);
      if (slots === undefined) holders.set(stem, [slot]);
      else slots.push(slot);
    }
  }
  return {
    raise(scores, concepts) {
      const covered = new Float64Array(scores.length);
      for (const [stem, weight] of saidStems(concepts)) {
        const id = lexicon.find(stem);
        if (id === undefined) continue;
        const worth = weight * rarity(id);
        for (const slot of holders.get(id) ?? []) covered[slot] = (covered[slot] ?? 0) + worth;
      }
      for (let slot = 0; slot < scores.length; slot += 1) {
        const share = (covered[slot] ?? 0) / (totals.get(slot) ?? 1);
        if (share > 0) scores[slot] = (scores[slot] ?? 0) * (1 + tuning.nameCoverage * share);
      }
    },
  };
}

/** How far a query says each stem: 1 for its own words, less for what stands in for them. */
function saidStems(concepts: readonly Concept[]): ReadonlyMap<string, number> {
  const said = new Map<string, number>();
  const say = (stem: string, weight: number) => said.set(stem, Math.max(weight, said.get(stem) ?? 0));
  for (const { stem, substitutes } of concepts) {
    if (stem !== undefined) say(stem, 1);
    for (const { term, weight } of substitutes) for (const one of stemsOf(term)) say(one, weight);
  }
  return said;
}
