import { createLexicon, type Lexicon } from "./lexicon.ts";
import { createPostingLists, placeOf, type PostingLists } from "./postings.ts";
import { fields, type Searchable } from "./searchable.ts";
import { visitTerms } from "./tool-terms.ts";

/** An inverted index with fields. Each document has a slot. The slot of a removed document is used again. */
export interface FieldIndex {
  readonly lexicon: Lexicon;
  readonly postings: Pick<PostingLists, "frequency" | "of">;
  /** How many documents there are. */
  readonly size: number;
  /** One more than the highest slot in use. */
  readonly slots: number;
  /** Number of terms at a place. */
  length(place: number): number;
  /** Average number of terms in a field, over all documents. */
  averageLength(field: number): number;
  /** Whether a document holds the term. */
  has(term: string): boolean;
  /** Returns the slot of the tool. */
  add(tool: Searchable): number;
  /** Removes the tool of this slot. */
  remove(slot: number, tool: Searchable): void;
}

export function createFieldIndex(): FieldIndex {
  const lexicon = createLexicon();
  const postings = createPostingLists(lexicon);
  const lengths: number[] = [];
  const totals = fields.map(() => 0);
  const free: number[] = [];
  let size = 0;
  let slots = 0;

  return {
    lexicon,
    postings,
    get size() {
      return size;
    },
    get slots() {
      return slots;
    },
    length: (place) => lengths[place] ?? 0,
    averageLength: (field) => (totals[field] ?? 0) / Math.max(1, size),
    has: (term) => postings.frequency(lexicon.find(term)) > 0,
    add(tool) {
      const slot = free.pop() ?? slots++;
      while (lengths.length < placeOf(slots, 0)) lengths.push(0);
      visitTerms(tool, lexicon, (term, field) => {
        const place = placeOf(slot, field);
        postings.add(term, place);
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
      postings.remove(terms, slot);
      size -= 1;
      free.push(slot);
    },
  };
}
