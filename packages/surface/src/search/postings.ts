import type { Lexicon } from "./lexicon.ts";

/** The occurrences of a term: place, count, place, count, ... The places of one document are adjacent. */
type Postings = readonly number[];

/** A place is one field of one slot. */
const placeBits = 3;

export const placeOf = (slot: number, field: number) => (slot << placeBits) | field;
export const slotOf = (place: number) => place >> placeBits;

/** Creates the postings of every term. The postings of a stem are those of its words. */
export function createPostingLists(lexicon: Lexicon) {
  const lists: number[][] = [];
  const frequencies: number[] = [];
  /** The slot that was counted last, by term. */
  const counted: number[] = [];
  const ofStems = new Map<number, Postings>();

  const count = (term: number, slot: number) => {
    while (counted.length <= term) {
      counted.push(-1);
      frequencies.push(0);
      lists.push([]);
    }
    if (counted[term] === slot) return;
    counted[term] = slot;
    frequencies[term] = (frequencies[term] ?? 0) + 1;
  };

  return {
    /** The number of slots that hold the term. Undefined stands for an unknown term. */
    frequency: (term = -1) => frequencies[term] ?? 0,
    of(term: number): Postings {
      const words = lexicon.words(term);
      if (words === undefined) return lists[term] ?? [];
      let all = ofStems.get(term);
      if (all === undefined) ofStems.set(term, (all = merge(words.map((word) => lists[word] ?? []))));
      return all;
    },
    /** Adds an occurrence, before any postings are read. The occurrences of one slot must be added one after another. */
    add(term: number, place: number): void {
      const slot = slotOf(place);
      const stem = lexicon.stem(term);
      if (stem !== undefined) count(stem, slot);
      count(term, slot);
      const list = lists[term] ?? [];
      if (list[list.length - 2] === place) list[list.length - 1] = (list[list.length - 1] ?? 0) + 1;
      else list.push(place, 1);
    },
  };
}

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
