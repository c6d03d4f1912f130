/** The fields of a tool that are searched. The lead is what a description says first; `description` is the rest of it. */
export const fields = ["name", "pack", "keywords", "parameters", "lead", "description", "details"] as const;

export type Field = (typeof fields)[number];

/** One tool as terms, per field in the order of `fields`. */
export type FieldTerms = readonly (readonly string[])[];

/** Where a term occurs: slot, field, times, slot, field, times, ... A slot's fields stand together. */
export type Postings = number[];

/**
 * An inverted index with fields, kept as documents come and go. A document lives in a slot; the slot of one that
 * went is used again.
 */
export interface FieldIndex {
  /** How many documents there are. */
  readonly size: number;
  /** One more than the highest slot in use. */
  readonly slots: number;
  readonly vocabulary: ReadonlyMap<string, Postings>;
  /** Terms of one field in one slot. */
  length(slot: number, field: number): number;
  /** The same on average. */
  averageLength(field: number): number;
  /** In how many documents a term occurs. */
  frequency(term: string): number;
  add(terms: FieldTerms): number;
  remove(slot: number, terms: FieldTerms): void;
}

const triple = 3;

export function createFieldIndex(): FieldIndex {
  const vocabulary = new Map<string, Postings>();
  const frequencies = new Map<string, number>();
  const lengths: number[] = [];
  const totals = fields.map(() => 0);
  const free: number[] = [];
  let size = 0;
  let slots = 0;

  const measure = (slot: number, terms: FieldTerms, sign: 1 | -1) => {
    for (const [field, words] of terms.entries()) {
      lengths[slot * fields.length + field] = sign === 1 ? words.length : 0;
      totals[field] = (totals[field] ?? 0) + sign * words.length;
    }
    size += sign;
  };

  return {
    get size() {
      return size;
    },
    get slots() {
      return slots;
    },
    vocabulary,
    length: (slot, field) => lengths[slot * fields.length + field] ?? 0,
    averageLength: (field) => (totals[field] ?? 0) / Math.max(1, size),
    frequency: (term) => frequencies.get(term) ?? 0,
    add(terms) {
      const slot = free.pop() ?? slots++;
      for (const [field, words] of terms.entries()) for (const word of words) post(word, slot, field);
      measure(slot, terms, 1);
      return slot;
    },
    remove(slot, terms) {
      for (const term of new Set(terms.flat())) {
        const postings = vocabulary.get(term) ?? [];
        const start = findSlot(postings, slot);
        let end = start;
        while (postings[end] === slot) end += triple;
        postings.splice(start, end - start);
        const left = (frequencies.get(term) ?? 0) - 1;
        frequencies.set(term, left);
        if (left > 0) continue;
        vocabulary.delete(term);
        frequencies.delete(term);
      }
      measure(slot, terms, -1);
      free.push(slot);
    },
  };

  function post(term: string, slot: number, field: number): void {
    const postings = vocabulary.get(term);
    if (postings === undefined) {
      vocabulary.set(term, [slot, field, 1]);
      frequencies.set(term, 1);
      return;
    }
    const last = postings.length - triple;
    if (postings[last] === slot && postings[last + 1] === field) {
      postings[last + 2] = (postings[last + 2] ?? 0) + 1;
      return;
    }
    if (postings[last] !== slot) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    postings.push(slot, field, 1);
  }
}

function findSlot(postings: Postings, slot: number): number {
  let at = 0;
  while (at < postings.length && postings[at] !== slot) at += triple;
  return at;
}
