import { createLexicon, type Lexicon } from "./lexicon.ts";
import { createPostingLists, placeOf, type PostingLists } from "./postings.ts";
import { fields, type Searchable } from "./searchable.ts";
import { nameStems, visitTerms } from "./tool-terms.ts";

/** A tool in the index. Its slot is its index in the catalog. */
export interface Document {
  readonly text: Searchable;
  /** The stems of its name, without duplicates. */
  readonly name: readonly number[];
}

/** An inverted index with fields. */
export interface FieldIndex {
  readonly lexicon: Lexicon;
  readonly postings: Pick<PostingLists, "frequency" | "of">;
  /** By slot. */
  readonly documents: readonly Document[];
  /** Number of terms at a place. */
  length(place: number): number;
  /** Average number of terms in a field, over all documents. */
  averageLength(field: number): number;
  /** Whether a document holds the term. */
  has(term: string): boolean;
}

export function createFieldIndex(catalog: readonly Searchable[]): FieldIndex {
  const lexicon = createLexicon();
  const postings = createPostingLists(lexicon);
  const lengths = new Float64Array(placeOf(catalog.length, 0));
  const totals = fields.map(() => 0);
  const documents = catalog.map((text, slot) => {
    visitTerms(text, lexicon, (term, field) => {
      const place = placeOf(slot, field);
      postings.add(term, place);
      lengths[place] = (lengths[place] ?? 0) + 1;
      totals[field] = (totals[field] ?? 0) + 1;
    });
    return { text, name: nameStems(text, lexicon) };
  });
  return {
    lexicon,
    postings,
    documents,
    length: (place) => lengths[place] ?? 0,
    averageLength: (field) => (totals[field] ?? 0) / Math.max(1, documents.length),
    has: (term) => postings.frequency(lexicon.find(term)) > 0,
  };
}
