import { createLexicon } from "./lexicon.ts";
import { createPostingLists, placeOf } from "./postings.ts";
import { fields, type Searchable } from "./searchable.ts";
import { nameStems, visitTerms } from "./tool-terms.ts";

export type FieldIndex = ReturnType<typeof createFieldIndex>;

/** Creates an inverted index with fields. The slot of a tool is its index in the catalog. */
export function createFieldIndex(catalog: readonly Searchable[]) {
  const lexicon = createLexicon();
  const postings = createPostingLists(lexicon);
  const lengths = new Float64Array(placeOf(catalog.length, 0));
  const totals = fields.map(() => 0);
  /** By slot: the tool, and the stems of its name without duplicates. */
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
    /** Number of terms at a place. */
    length: (place: number) => lengths[place] ?? 0,
    /** Average number of terms in a field, over all documents. */
    averageLength: (field: number) => (totals[field] ?? 0) / Math.max(1, documents.length),
    /** Whether a document holds the term. */
    has: (term: string) => postings.frequency(lexicon.find(term)) > 0,
  };
}
