/** Texts whose words are as frequent as those of a language, and the exhaustive rankings of them. */
import { randomNumbers } from "./random-numbers.ts";

const vocabulary = 100_000;
/** The shift of Mandelbrot's law: the most common words are less frequent than by Zipf's. */
const shift = 2.7;
const minWords = 12;
const maxWords = 28;

export interface Texts {
  readonly count: number;
  text(at: number): string;
  /** The words of a text, by their numbers: 0 is the most common one. */
  words(at: number): readonly number[];
  /** Words as frequent as in the texts. */
  drawn(count: number, random: (below: number) => number): readonly number[];
  bestBy(ranking: Ranking, words: readonly number[], count: number): Best;
}

/** BM25, or the rank of the PostgreSQL store, which divides by the logarithm of the length. */
export type Ranking = "bm25" | "logarithm";

interface Best {
  /** How many of the best texts are among others, from 0 to 1. A text as good as the last of the best counts. */
  shareOf(found: readonly number[]): number;
}

export function makeTexts(count: number): Texts {
  const random = randomNumbers(1);
  const cumulative = new Float64Array(vocabulary);
  for (let at = 0, sum = 0; at < vocabulary; at += 1) cumulative[at] = sum += 1 / (at + 1 + shift);
  const draw = (next: (below: number) => number) => {
    const wanted = (next(2 ** 30) / 2 ** 30) * (cumulative.at(-1) ?? 0);
    let [low, high] = [0, vocabulary - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const starts = new Uint32Array(count + 1);
  for (let at = 0; at < count; at += 1) starts[at + 1] = (starts[at] ?? 0) + minWords + random(maxWords - minWords + 1);
  const words = new Uint32Array(starts[count] ?? 0);
  for (let at = 0; at < words.length; at += 1) words[at] = draw(random);
  const wordsOf = (at: number) => [...words.subarray(starts[at], starts[at + 1])];
  return {
    count,
    words: wordsOf,
    text: (at) =>
      wordsOf(at)
        .map((word) => `w${word}`)
        .join(" "),
    drawn: (length, next) => Array.from({ length }, () => draw(next)),
    bestBy: (ranking, wanted, length) => rankAll({ words, starts, count }, { ranking, wanted, length }),
  };
}

interface Corpus {
  readonly words: Uint32Array;
  readonly starts: Uint32Array;
  readonly count: number;
}

/** Scores every text. */
function rankAll(
  { words, starts, count }: Corpus,
  {
    ranking,
    wanted,
    length,
  }: { readonly ranking: Ranking; readonly wanted: readonly number[]; readonly length: number },
): Best {
  const places = new Int8Array(vocabulary).fill(-1);
  for (const [at, word] of wanted.entries()) places[word] = at;
  const having = wanted.map(() => 0);
  const found = new Map<number, number[]>();
  for (let text = 0; text < count; text += 1) {
    for (let at = starts[text] ?? 0; at < (starts[text + 1] ?? 0); at += 1) {
      const place = places[words[at] ?? 0] ?? -1;
      if (place < 0) continue;
      const times = found.get(text) ?? wanted.map(() => 0);
      found.set(text, times);
      if (times[place] === 0) having[place] = (having[place] ?? 0) + 1;
      times[place] = (times[place] ?? 0) + 1;
    }
  }
  const rarities = having.map((some) => Math.max(1e-6, Math.log((count - some + 0.5) / (some + 0.5))));
  const average = words.length / count;
  const scores = new Map(
    [...found].map(([text, times]) => {
      const size = (starts[text + 1] ?? 0) - (starts[text] ?? 0);
      const part =
        ranking === "bm25"
          ? bm25(2, size / average)
          : logarithm(new Set(words.subarray(starts[text], starts[text + 1])).size);
      return [text, times.reduce((sum, one, at) => sum + (one === 0 ? 0 : (rarities[at] ?? 0) * part(one)), 0)];
    }),
  );
  const best = Float64Array.from(scores.values()).sort().slice(-length);
  const last = (best[0] ?? 0) - 1e-9;
  return { shareOf: (ids) => ids.filter((id) => (scores.get(id) ?? 0) >= last).length / Math.max(1, best.length) };
}

/** The part of a word in BM25. @param weight of the text field */
function bm25(weight: number, relativeLength: number): (times: number) => number {
  return (times) => (weight * times * 2.2) / (weight * times + 1.2 * (0.25 + 0.75 * relativeLength));
}

/** The part of a word in PostgreSQL's `ts_rank`, divided by the logarithm of the number of different words. */
function logarithm(size: number): (times: number) => number {
  return (times) => {
    let sum = 0;
    for (let at = 1; at <= times; at += 1) sum += 1 / at ** 2;
    return sum / (1 + Math.log(size));
  };
}
