import { createLexicon, type Lexicon } from "./lexicon.ts";
import { fields, type Searchable } from "./searchable.ts";
import { visitTerms } from "./tool-terms.ts";

/** Where a term occurs: place, times, place, times, ... A document's places stand together. */
export type Postings = number[];

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
  postings(term: number): Readonly<Postings>;
  add(tool: Searchable): number;
  /** Takes a tool out that was added to this slot. */
  remove(slot: number, tool: Searchable): void;
}

export function createFieldIndex(): FieldIndex {
  const lexicon = createLexicon();
  const postings: Postings[] = [];
  const frequencies: number[] = [];
  const lengths: number[] = [];
  const totals = fields.map(() => 0);
  const free: number[] = [];
  let size = 0;
  let slots = 0;

  const post = (term: number, place: number) => {
    const found = postings[term];
    if (found === undefined || found.length === 0) {
      while (postings.length < term) postings.push([]);
      postings[term] = [place, 1];
      frequencies[term] = 1;
      return;
    }
    const last = found[found.length - 2] ?? 0;
    if (last === place) found[found.length - 1] = (found[found.length - 1] ?? 0) + 1;
    else {
      if (slotOf(last) !== slotOf(place)) frequencies[term] = (frequencies[term] ?? 0) + 1;
      found.push(place, 1);
    }
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
    postings: (term) => postings[term] ?? [],
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
      return slot;
    },
    remove(slot, tool) {
      const terms = new Set<number>();
      visitTerms(tool, lexicon, (term, field) => {
        terms.add(term);
        lengths[placeOf(slot, field)] = 0;
        totals[field] = (totals[field] ?? 0) - 1;
      });
      for (const term of terms) {
        cut(postings[term] ?? [], slot);
        frequencies[term] = (frequencies[term] ?? 0) - 1;
      }
      size -= 1;
      free.push(slot);
    },
  };
}

/** Takes a document's places out. */
function cut(postings: Postings, slot: number): void {
  const pair = 2;
  let start = 0;
  while (start < postings.length && slotOf(postings[start] ?? 0) !== slot) start += pair;
  let end = start;
  while (end < postings.length && slotOf(postings[end] ?? 0) === slot) end += pair;
  postings.splice(start, end - start);
}
