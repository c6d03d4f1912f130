import { trigrams } from "./likeness.ts";

/** Finds the known words that an unknown one may be a slip of. */
export interface TypoIndex {
  /** The known words nearest to it, all equally near, in alphabetical order; none when nothing is near. */
  nearest(word: string): readonly string[];
}

/** Shorter words are too like other words to tell a slip from a word of its own. */
const shortest = 4;

/** Beyond it, it is no word; and a count of its trigrams must fit in a byte. */
const longest = 100;

/** From this length on, two slips are believed. */
const long = 9;

const maxNearest = 3;

/** One slip changes so many trigrams at most: two swapped letters are in four. */
const trigramsPerTypo = 4;

/** Indexes words by their trigrams. Trigrams find the candidates; the number of slips between the two words decides. */
export function createTypoIndex(all: readonly string[]): TypoIndex {
  const words = all.filter((word) => word.length >= shortest - 1);
  const byTrigram = new Map<string, number[]>();
  for (const [at, word] of words.entries()) {
    for (const trigram of trigrams(word)) {
      const holders = byTrigram.get(trigram);
      if (holders === undefined) byTrigram.set(trigram, [at]);
      else holders.push(at);
    }
  }
  const had = new Uint8Array(words.length);
  return {
    nearest(word) {
      if (word.length < shortest || word.length > longest || !/^\p{L}+$/u.test(word)) return [];
      const most = word.length < long ? 1 : 2;
      const candidates = alike(trigrams(word), trigramsPerTypo * most);
      for (let slips = 1; slips <= most; slips += 1) {
        const near = candidates.filter(
          (known) => Math.abs(known.length - word.length) <= slips && editDistance(word, known, slips) <= slips,
        );
        if (near.length > 0) return near.sort().slice(0, maxNearest);
      }
      return [];
    },
  };

  /** The words that have all but so many of these trigrams. */
  function alike(wanted: ReadonlySet<string>, maxMissing: number): readonly string[] {
    const found: string[] = [];
    const least = Math.max(1, wanted.size - maxMissing);
    had.fill(0);
    for (const trigram of wanted)
      for (const at of byTrigram.get(trigram) ?? []) {
        had[at] = (had[at] ?? 0) + 1;
        if (had[at] === least) found.push(words[at] ?? "");
      }
    return found;
  }
}

/** Letters left out, added, mistaken or swapped with a neighbour between two words; counting ends above `most`. */
function editDistance(one: string, other: string, most: number): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    if (Math.min(...next) > most) return most + 1;
    before = row;
    row = next;
  }
  return row[other.length] ?? most + 1;
}
