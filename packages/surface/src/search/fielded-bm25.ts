import type { FieldIndex } from "./field-index.ts";
import { placeOf, slotOf } from "./postings.ts";
import type { Concept, WeightedTerm } from "./query.ts";
import { fields } from "./searchable.ts";
import { tuning } from "./tuning.ts";

/** The scores of one concept: `scores[n]` belongs to `slots[n]`. */
export interface ConceptScores {
  readonly slots: readonly number[];
  readonly scores: readonly number[];
}

export type Scorer = ReturnType<typeof createScorer>;

/** Scores concepts by BM25F: occurrences are weighted by field, discounted by the field's length, summed, and then saturated. */
export function createScorer(index: FieldIndex) {
  const factors = placeFactors(index);
  const scratch = new Float64Array(index.documents.length);

  /** Inverse document frequency of a term, as in BM25. */
  const rarity = (term: number | undefined) => {
    const count = index.postings.frequency(term);
    return Math.log(1 + (index.documents.length - count + 0.5) / (count + 0.5));
  };

  const scoreTerm = (
    { term, weight }: WeightedTerm,
    maxRarity: number,
    take: (slot: number, score: number) => void,
  ) => {
    const maxScore = weight * Math.min(maxRarity, rarity(term)) * (tuning.saturation + 1);
    const postings = index.postings.of(term);
    for (let at = 0; at < postings.length;) {
      const slot = slotOf(postings[at] ?? 0);
      let times = 0;
      for (; at < postings.length && slotOf(postings[at] ?? 0) === slot; at += 2)
        times += (postings[at + 1] ?? 0) * (factors[postings[at] ?? 0] ?? 0);
      take(slot, (maxScore * times) / (times + tuning.saturation));
    }
  };

  return {
    rarity,
    score({ stem, forms, substitutes }: Concept): ConceptScores {
      const slots: number[] = [];
      const put = (slot: number, score: number) => {
        if (scratch[slot] === 0) slots.push(slot);
        scratch[slot] = score;
      };
      const add = (slot: number, score: number) => put(slot, (scratch[slot] ?? 0) + score);
      const raise = (slot: number, score: number) => {
        if (score > (scratch[slot] ?? 0)) put(slot, score);
      };
      for (const form of forms) scoreTerm(form, Number.POSITIVE_INFINITY, add);
      // A rare substitute of a common word counts no more than the common word.
      const maxRarity = stem !== undefined && forms.length > 0 ? rarity(stem) : Number.POSITIVE_INFINITY;
      for (const substitute of substitutes) scoreTerm(substitute, maxRarity, raise);
      const scores = slots.map((slot) => scratch[slot] ?? 0);
      for (const slot of slots) scratch[slot] = 0;
      return { slots, scores };
    },
  };
}

/** The weight of one occurrence at each place. */
function placeFactors(index: FieldIndex): Float64Array {
  const { weights, lengthDiscount } = tuning;
  const factors = new Float64Array(placeOf(index.documents.length, 0));
  for (const [field, name] of fields.entries()) {
    const average = index.averageLength(field);
    for (let slot = 0; slot < index.documents.length; slot += 1) {
      const place = placeOf(slot, field);
      const length = index.length(place);
      if (length === 0) continue;
      factors[place] = weights[name] / (1 - lengthDiscount + (lengthDiscount * length) / average);
    }
  }
  return factors;
}
