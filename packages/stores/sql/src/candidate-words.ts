/** Which records of a large text query are ranked: those with its rarest words, and those with two of its less rare words. */

/** A word of a query and the number of records that have it, which may be an estimate. */
export interface WordCount {
  readonly word: string;
  readonly count: number;
}

export interface TextStatistics {
  readonly counts: readonly WordCount[];
  /** Number of records of the kind, which may be an estimate. */
  readonly records: number;
}

/** Up to this number of matches, every match is ranked. */
export const maxExhaustive = 5_000;
/** Number of records that are ranked at the most by age: newest first, if rarer words find fewer. Also the records that a cursor can name. */
export const maxRanked = 400;
/** Records with a word of this set are candidates. */
export const maxRare = 2_000;
/** Records with a word of this set and another word are candidates. */
const maxMiddle = 20_000;
/** Share of the records from which a word says too little to make a candidate. */
export const commonShare = 0.1;

interface CandidateWords {
  /** Every record with one of these words is a candidate. */
  readonly rare: readonly string[];
  /** A record with one of these words and another word of the query is a candidate. */
  readonly middle: readonly string[];
}

/** How much a word says: the logarithm of the odds that a record lacks it, as in BM25. Always positive. */
export function rarity(count: number, records: number): number {
  return Math.max(1e-6, Math.log((records - count + 0.5) / (count + 0.5)));
}

/** Chooses the words that make a record a candidate of a query for any word. There is at least one. */
export function candidateWords({ counts, records }: TextStatistics): CandidateWords {
  const rarestFirst = counts.toSorted((a, b) => a.count - b.count);
  const rare = upTo(rarestFirst, maxRare);
  const others = rarestFirst.slice(rare.length);
  const middle = upTo(others, maxMiddle).filter(({ count }) => count < commonShare * records);
  const known = [...rare, ...middle].length > 0 ? middle : others.slice(0, 1);
  return { rare: rare.map(({ word }) => word), middle: known.map(({ word }) => word) };
}

/** The first words whose records together are not more than a number. */
function upTo(counts: readonly WordCount[], max: number): readonly WordCount[] {
  let sum = 0;
  const end = counts.findIndex(({ count }) => (sum += count) > max);
  return end < 0 ? counts : counts.slice(0, end);
}
