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
/** Maximum number of candidates that are expected, beside the newest matches. */
const maxExpected = 1_000;
/** Share of the records from which a word says too little to be looked up. */
export const commonShare = 0.3;
/** Number of records that are ranked at the most by age: newest first, if rarer words find fewer. Also the records that a cursor can name. */
export const maxRanked = 400;

/** The candidates are the records that have one of the words or pairs, and the newest matches. */
export interface CandidateWords {
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
  return Math.min(records, sumOf(counts.map(({ count }) => count))) <= maxExhaustive;
}

/** A word or a pair of words, the rarer one first. */
interface WordSet {
  readonly word: string;
  readonly partner?: string;
  /** Number of records that have the words, if words are independent of each other. */
  readonly expected: number;
  readonly score: number;
}

/** Chooses the candidates of a query for any word: those whose words say the most, up to a number that is expected. */
export function candidateWords({ counts, records }: TextStatistics): CandidateWords {
  const rarestFirst = counts.toSorted((a, b) => a.count - b.count);
  const alone = new Set<string | undefined>();
  let chosen: readonly WordSet[] = [];
  for (const set of wordSets(rarestFirst, records)) {
    const { word, partner } = set;
    if (alone.has(word) || alone.has(partner)) continue;
    // A word includes the pairs with it.
    const others = chosen.filter((one) => partner !== undefined || (one.word !== word && one.partner !== word));
    if (sumOf([...others, set].map(({ expected }) => expected)) > maxExpected) break;
    if (partner === undefined) alone.add(word);
    chosen = [...others, set];
  }
  const pairs = new Map<string, readonly string[]>();
  for (const { word, partner } of chosen)
    if (partner !== undefined) pairs.set(word, [...(pairs.get(word) ?? []), partner]);
  return {
    alone: chosen.flatMap(({ word, partner }) => (partner === undefined ? [word] : [])),
    pairs,
    minScore: Math.min(...chosen.map(({ score }) => score)),
    newest: (chosen.length > 0 ? counts : rarestFirst.slice(0, 1)).map(({ word }) => word),
  };
}

/** Every word and every pair of words that are not common, those first that say the most. */
function wordSets(rarestFirst: readonly WordCount[], records: number): readonly WordSet[] {
  const words = rarestFirst.map(({ word, count }) => ({ word, expected: count, score: rarity(count, records) }));
  const telling = words.filter(({ expected }) => expected < commonShare * records);
  const pairs = telling.flatMap(({ word, expected, score }, at) =>
    telling.slice(at + 1).map((other) => ({
      word,
      partner: other.word,
      expected: (expected * other.expected) / records,
      score: score + other.score,
    })),
  );
  return [...words, ...pairs].sort((a, b) => b.score - a.score);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
