import type { FieldIndex } from "./field-index.ts";
import { placeOf, slotOf } from "./postings.ts";
import type { Concept, WeightedTerm } from "./query.ts";
import { fields } from "./searchable.ts";
import { tuning } from "./tuning.ts";

/** What a concept scores, and where: `scores[n]` in `slots[n]`. */
export interface ConceptScores {
  readonly slots: readonly number[];
  readonly scores: readonly number[];
}

/** Scores concepts against every document of an index, as it was when the scorer was made. */
export interface Scorer {
  /** ln(1 + …) of how few documents hold a term, as BM25 has it. */
  readonly rarity: (term: number | undefined) => number;
  score(concept: Concept): ConceptScores;
}

/** BM25F: occurrences are weighted by field and discounted by the field's length, added up, and only then saturated. */
export function createScorer(index: FieldIndex): Scorer {
  const factors = placeFactors(index);
  const scratch = new Float64Array(index.slots);

  const rarity = (term: number | undefined) => {
    const count = index.postings.frequency(term);
    return Math.log(1 + (index.size - count + 0.5) / (count + 0.5));
  };

  const each = ({ term, weight }: WeightedTerm, maxRarity: number, take: (slot: number, score: number) => void) => {
    const most = weight * Math.min(maxRarity, rarity(term)) * (tuning.saturation + 1);
    const postings = index.postings.of(term);
    for (let at = 0; at < postings.length;) {
      const slot = slotOf(postings[at] ?? 0);
      let times = 0;
      for (; at < postings.length && slotOf(postings[at] ?? 0) === slot; at += 2)
        times += (postings[at + 1] ?? 0) * (factors[postings[at] ?? 0] ?? 0);
      take(slot, (most * times) / (times + tuning.saturation));
    }
  };

  return {
    rarity,
    score({ stem, forms, substitutes }) {
      const slots: number[] = [];
      const put = (slot: number, score: number) => {
        if (scratch[slot] === 0) slots.push(slot);
        scratch[slot] = score;
      };
      const add = (slot: number, score: number) => put(slot, (scratch[slot] ?? 0) + score);
      const raise = (slot: number, score: number) => {
        if (score > (scratch[slot] ?? 0)) put(slot, score);
      };
      for (const form of forms) each(form, Number.POSITIVE_INFINITY, add);
      // A rare word that stands in for a common one is worth no more than the common one.
      const most = stem !== undefined && forms.length > 0 ? rarity(stem) : Number.POSITIVE_INFINITY;
      for (const substitute of substitutes) each(substitute, most, raise);
      const scores = slots.map((slot) => scratch[slot] ?? 0);
      for (const slot of slots) scratch[slot] = 0;
      return { slots, scores };
    },
  };
}

/** What one occurrence counts at each place. */
function placeFactors(index: FieldIndex): Float64Array {
  const { weights, lengthDiscount } = tuning;
  const factors = new Float64Array(placeOf(index.slots, 0));
  for (const [field, name] of fields.entries()) {
    const average = index.averageLength(field);
    for (let slot = 0; slot < index.slots; slot += 1) {
      const place = placeOf(slot, field);
      const length = index.length(place);
      if (length === 0) continue;
      factors[place] = weights[name] / (1 - lengthDiscount + (lengthDiscount * length) / average);
    }
  }
  return factors;
}
