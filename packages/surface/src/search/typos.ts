import { trigrams } from "./likeness.ts";

/** The known words with the smallest edit distance from an unknown word, in alphabetical order. Empty when none is near. */
export type FindTypos = (word: string) => readonly string[];

/** Minimum length of a word with a typo. Shorter words are too similar to other words. */
const minLength = 4;

/** Maximum length of a word. Its trigram count must fit in a byte. */
const maxLength = 100;

/** Words of this length or more may have two typos. */
const longWord = 9;

const maxNearest = 3;

/** Maximum trigrams that one typo changes: two swapped letters are in four trigrams. */
const trigramsPerTypo = 4;

/** Indexes words by trigrams. Trigrams select candidates, and the edit distance decides. */
export function createTypoIndex(all: readonly string[]): FindTypos {
  const words = all.filter((word) => word.length >= minLength - 1);
  const byTrigram = new Map<string, number[]>();
  for (const [at, word] of words.entries()) {
    for (const trigram of trigrams(word)) {
      const holders = byTrigram.get(trigram);
      if (holders === undefined) byTrigram.set(trigram, [at]);
      else holders.push(at);
    }
  }
  const had = new Uint8Array(words.length);
  return (word) => {
    if (word.length < minLength || word.length > maxLength || !/^\p{L}+$/u.test(word)) return [];
    const maxTypos = word.length < longWord ? 1 : 2;
    const candidates = similarWords(trigrams(word), trigramsPerTypo * maxTypos);
    for (let typos = 1; typos <= maxTypos; typos += 1) {
      const near = candidates.filter(
        (known) => Math.abs(known.length - word.length) <= typos && editDistance(word, known, typos) <= typos,
      );
      if (near.length > 0) return near.sort().slice(0, maxNearest);
    }
    return [];
  };

  /** The words that lack at most `maxMissing` of these trigrams. */
  function similarWords(wanted: ReadonlySet<string>, maxMissing: number): readonly string[] {
    const found: string[] = [];
    const minShared = Math.max(1, wanted.size - maxMissing);
    had.fill(0);
    for (const trigram of wanted)
      for (const at of byTrigram.get(trigram) ?? []) {
        had[at] = (had[at] ?? 0) + 1;
        if (had[at] === minShared) found.push(words[at] ?? "");
      }
    return found;
  }
}

/** The Damerau-Levenshtein distance of two words. Counting stops above `max`. */
function editDistance(one: string, other: string, max: number): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    if (Math.min(...next) > max) return max + 1;
    before = row;
    row = next;
  }
  return row[other.length] ?? max + 1;
}
