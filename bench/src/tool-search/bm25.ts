const usualSaturation = 1.5;
const lengthDiscount = 0.75;

/** Okapi BM25 with the usual constants: ranks tokenized documents by a query. Documents without a match are left out. */
export function bm25(
  documents: readonly (readonly string[])[],
  saturation = usualSaturation,
): (query: readonly string[]) => readonly number[] {
  const postings = new Map<string, Map<number, number>>();
  for (const [at, tokens] of documents.entries())
    for (const token of tokens) {
      const found = postings.get(token) ?? new Map<number, number>();
      postings.set(token, found.set(at, (found.get(at) ?? 0) + 1));
    }
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);

  return (query) => {
    const scores = new Map<number, number>();
    for (const token of query) {
      const found = postings.get(token) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - found.size + 0.5) / (found.size + 0.5));
      for (const [at, times] of found) {
        const length = documents[at]?.length ?? 0;
        const norm = saturation * (1 - lengthDiscount + (lengthDiscount * length) / average);
        scores.set(at, (scores.get(at) ?? 0) + (rarity * times * (saturation + 1)) / (times + norm));
      }
    }
    return [...scores].sort(([a, one], [b, other]) => other - one || a - b).map(([at]) => at);
  };
}
