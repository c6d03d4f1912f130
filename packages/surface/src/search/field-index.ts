import { createLexicon, type Lexicon } from "./lexicon.ts";
import { fields, type Searchable } from "./searchable.ts";
import { visitTerms } from "./tool-terms.ts";

/** Where a term occurs: place, times, place, times, ... A document's places stand together. */
export type Postings = readonly number[];

/** A place is a field of a slot. */
const placeBits = 3;

export const placeOf = (slot: number, field: number) => (slot << placeBits) | field;
export const slotOf = (place: number) => place >> placeBits;

/**
 * An inverted index with fields, kept as documents come and go. A document lives in a slot; the slot of one that
 * went is used again.
 */
export interface FieldIndex {
  readonly lexicon: Lexicon;
  /** How many documents there are. */
  readonly size: number;
  /** One more than the highest slot in use. */
  readonly slots: number;
  /** Terms at a place. */
  length(place: number): number;
  /** The same on average over all documents. */
  averageLength(field: number): number;
  /** In how many documents a term occurs; no number stands for a term that never did. */
  frequency(term: number | undefined): number;
  postings(term: number): Postings;
  add(tool: Searchable): number;
  /** Takes a tool out that was added to this slot. */
  remove(slot: number, tool: Searchable): void;
}

export function createFieldIndex(): FieldIndex {
  const lexicon = createLexicon();
  /** By term; a stem has none of its own, but its words'. */
  const postings: number[][] = [];
  const frequencies: number[] = [];
  /** The slot that was last counted for a term. */
  const counted: number[] = [];
  const lengths: number[] = [];
  const totals = fields.map(() => 0);
  const free: number[] = [];
  const ofStems = new Map<number, Postings>();
  let size = 0;
  let slots = 0;

  const count = (term: number, slot: number) => {
    while (counted.length <= term) {
      counted.push(-1);
      frequencies.push(0);
      postings.push([]);
    }
    if (counted[term] === slot) return;
    counted[term] = slot;
    frequencies[term] = (frequencies[term] ?? 0) + 1;
  };

  const post = (term: number, place: number) => {
    const slot = slotOf(place);
    const stem = lexicon.stem(term);
    if (stem !== undefined) count(stem, slot);
    count(term, slot);
    const found = postings[term] ?? [];
    if (found.length > 0 && found[found.length - 2] === place)
      found[found.length - 1] = (found[found.length - 1] ?? 0) + 1;
    else found.push(place, 1);
  };

  return {
    lexicon,
    get size() {
      return size;
    },
    get slots() {
      return slots;
    },
    length: (place) => lengths[place] ?? 0,
    averageLength: (field) => (totals[field] ?? 0) / Math.max(1, size),
    frequency: (term = -1) => frequencies[term] ?? 0,
    postings(term) {
      const words = lexicon.words(term);
      if (words === undefined) return postings[term] ?? [];
      let all = ofStems.get(term);
      if (all === undefined) ofStems.set(term, (all = merge(words.map((word) => postings[word] ?? []))));
      return all;
    },
    add(tool) {
      const slot = free.pop() ?? slots++;
      while (lengths.length < placeOf(slots, 0)) lengths.push(0);
      visitTerms(tool, lexicon, (term, field) => {
        const place = placeOf(slot, field);
        post(term, place);
        lengths[place] = (lengths[place] ?? 0) + 1;
        totals[field] = (totals[field] ?? 0) + 1;
      });
      size += 1;
      ofStems.clear();
      return slot;
    },
    remove(slot, tool) {
      const terms = new Set<number>();
      visitTerms(tool, lexicon, (term, field) => {
        terms.add(term).add(lexicon.stem(term) ?? term);
        lengths[placeOf(slot, field)] = 0;
        totals[field] = (totals[field] ?? 0) - 1;
      });
      for (const term of terms) {
        cut(postings[term] ?? [], slot);
        frequencies[term] = (frequencies[term] ?? 0) - 1;
        counted[term] = -1;
      }
      size -= 1;
      ofStems.clear();
      free.push(slot);
    },
  };
}

/** The postings of several words as one term's. */
function merge(all: readonly Postings[]): Postings {
  const [first = [], ...others] = all.filter(({ length }) => length > 0);
  if (others.length === 0) return first;
  const times = new Map<number, number>();
  for (const postings of [first, ...others])
    for (let at = 0; at < postings.length; at += 2) {
      const place = postings[at] ?? 0;
      times.set(place, (times.get(place) ?? 0) + (postings[at + 1] ?? 0));
    }
  return [...times.keys()].sort((one, other) => one - other).flatMap((place) => [place, times.get(place) ?? 0]);
}

/** Takes a document's places out. */
function cut(postings: number[], slot: number): void {
  let start = 0;
  while (start < postings.length && slotOf(postings[start] ?? 0) !== slot) start += 2;
  let end = start;
  while (end < postings.length && slotOf(postings[end] ?? 0) === slot) end += 2;
  postings.splice(start, end - start);
}
