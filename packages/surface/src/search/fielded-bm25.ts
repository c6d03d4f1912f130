import { fields, type FieldIndex } from "./field-index.ts";
import type { Concept, WeightedTerm } from "./query.ts";
import { tuning } from "./tuning.ts";

/** Scores concepts against every document of an index, as it was when the scorer was made. */
export interface Scorer {
  /** ln(1 + …) of how few documents hold a term, as BM25 has it. */
  rarity(term: string): number;
  /** Calls `visit` once for each slot in which a concept is said, with its score there. */
  each(concept: Concept, visit: (slot: number, score: number) => void): void;
}

const triple = 3;

/** BM25F: occurrences are weighted by field and discounted by the field's length, added up, and only then saturated. */
export function createScorer(index: FieldIndex): Scorer {
  const factors = fieldFactors(index);
  const scratch = new Float64Array(index.slots);

  const rarity = (term: string) => {
    const count = index.frequency(term);
    return Math.log(1 + (index.size - count + 0.5) / (count + 0.5));
  };

  const eachOf = ({ term, weight }: WeightedTerm, worth: number, visit: (slot: number, score: number) => void) => {
    const postings = index.vocabulary.get(term) ?? [];
    const most = weight * worth * (tuning.saturation + 1);
    for (let at = 0; at < postings.length;) {
      const slot = postings[at] ?? 0;
      let times = 0;
      for (; postings[at] === slot; at += triple)
        times += (postings[at + 2] ?? 0) * (factors[slot * fields.length + (postings[at + 1] ?? 0)] ?? 0);
      visit(slot, (most * times) / (times + tuning.saturation));
    }
  };

  return {
    rarity,
    each({ stem, forms, substitutes }, visit) {
      // A rare word that stands in for a common one is worth no more than the common one.
      const most = stem !== undefined && forms.length > 0 ? rarity(stem) : Number.POSITIVE_INFINITY;
      const touched: number[] = [];
      const take = (slot: number, score: number) => {
        if (scratch[slot] === 0) touched.push(slot);
        scratch[slot] = score;
      };
      for (const form of forms)
        eachOf(form, rarity(form.term), (slot, score) => take(slot, (scratch[slot] ?? 0) + score));
      for (const substitute of substitutes)
        eachOf(substitute, Math.min(most, rarity(substitute.term)), (slot, score) => {
          if (score > (scratch[slot] ?? 0)) take(slot, score);
        });
      for (const slot of touched) {
        const score = scratch[slot] ?? 0;
        scratch[slot] = 0;
        visit(slot, score);
      }
    },
  };
}

/** What one occurrence counts, per slot and field. */
function fieldFactors(index: FieldIndex): Float64Array {
  const { weights, lengthDiscount } = tuning;
  const factors = new Float64Array(index.slots * fields.length);
  for (const [field, name] of fields.entries()) {
    const average = index.averageLength(field);
    for (let slot = 0; slot < index.slots; slot += 1) {
      const length = index.length(slot, field);
      if (length === 0) continue;
      factors[slot * fields.length + field] =
        weights[name] / (1 - lengthDiscount + (lengthDiscount * length) / average);
    }
  }
  return factors;
}
