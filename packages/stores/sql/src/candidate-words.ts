/** Which records of a large text query are ranked: those whose words of the query together are rare. */

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

/** Up to this number of records with a word of the query, every match is ranked. */
const maxExhaustive = 2_000;
/** Maximum number of records that are expected to have one of the rarest words, and again to have a pair of the others. */
const maxExpected = 1_000;
/** Share of the records from which a word says too little to be looked up. */
export const commonShare = 0.3;
/** Number of records that are ranked at the most by age: newest first, if rarer words find fewer. Also the records that a cursor can name. */
export const maxRanked = 400;

/** The candidates are the records that have one of the words or pairs, and the newest matches. */
interface CandidateWords {
  readonly alone: readonly string[];
  /** The partners of each word that makes a candidate only beside one of them. */
  readonly pairs: ReadonlyMap<string, readonly string[]>;
  /** The lowest sum of the rarities of such words. */
  readonly minScore: number;
  /** The newest records with one of these words are candidates, too. */
  readonly newest: readonly string[];
}

/** How much a word says: the logarithm of the odds that a record lacks it, as in BM25. Always positive. */
export function rarity(count: number, records: number): number {
  return Math.max(1e-6, Math.log((records - count + 0.5) / (count + 0.5)));
}

/** Whether so few records match that every match is ranked. */
export function isExhaustive({ counts, records }: TextStatistics): boolean {
  const sum = counts.reduce((total, { count }) => total + count, 0);
  return Math.min(sum, records) <= maxExhaustive;
}

/** Chooses the candidates of a query for any word: those with the rarest words, and those with the rarest pairs of the others. */
export function candidateWords({ counts, records }: TextStatistics): CandidateWords {
  const words = counts
    .toSorted((a, b) => a.count - b.count)
    .map(({ word, count }) => ({ word, expected: count, score: rarity(count, records) }));
  const alone = upTo(maxExpected, words);
  const others = words.slice(alone.length).filter(({ expected }) => expected < commonShare * records);
  const allPairs = others.flatMap(({ word, expected, score }, at) =>
    others.slice(at + 1).map((partner) => ({
      word,
      partner: partner.word,
      // As if the words were independent of each other.
      expected: (expected * partner.expected) / records,
      score: score + partner.score,
    })),
  );
  const chosen = upTo(
    maxExpected,
    allPairs.sort((a, b) => a.expected - b.expected),
  );
  const pairs = new Map<string, readonly string[]>();
  for (const { word, partner } of chosen) pairs.set(word, [...(pairs.get(word) ?? []), partner]);
  const isNone = alone.length + chosen.length === 0;
  return {
    alone: alone.map(({ word }) => word),
    pairs,
    minScore: Math.min(...[...alone, ...chosen].map(({ score }) => score)),
    newest: (isNone ? words.slice(0, 1) : words).map(({ word }) => word),
  };
}

/** The first words or pairs whose records together are not more than a number. */
function upTo<T extends { readonly expected: number }>(max: number, all: readonly T[]): readonly T[] {
  let sum = 0;
  const end = all.findIndex(({ expected }) => (sum += expected) > max);
  return end < 0 ? all : all.slice(0, end);
}
