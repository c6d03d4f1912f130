import leven from "leven";

const maxComparedLength = 64;

/**
 * The known name most similar to a misspelt one. Undefined if none is similar enough.
 *
 * @param minScore minimum similarity, from 0.5 to 1
 */
export function closest(name: string, known: Iterable<string>, minScore = 0.5): string | undefined {
  return rank(name, known).find(({ score }) => score >= minScore)?.candidate;
}

/**
 * The known names most similar to an unknown one. Two names are similar by spelling, or if they share most of their words in any order
 * (`read_file` and `fs_read`). Sorted by similarity, then by name.
 */
export function nearest(name: string, known: Iterable<string>, limit = 3): readonly string[] {
  return rank(name, known)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

function rank(name: string, known: Iterable<string>): readonly { candidate: string; score: number }[] {
  const wanted = name.slice(0, maxComparedLength).toLowerCase();
  const wantedWords = words(wanted);
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of known) {
    const score = similarity(wanted, wantedWords, candidate);
    if (score >= 0.5) scored.push({ candidate, score });
  }
  return scored.sort((a, b) => b.score - a.score || (a.candidate < b.candidate ? -1 : 1));
}

function similarity(wanted: string, wantedWords: ReadonlySet<string>, candidate: string): number {
  const lower = candidate.toLowerCase();
  const spelling = 1 - leven(wanted, lower) / Math.max(wanted.length, lower.length, 1);
  const candidateWords = words(lower);
  const both = [...wantedWords].filter((word) => candidateWords.has(word)).length;
  const overlap = both / Math.max(1, Math.min(wantedWords.size, candidateWords.size));
  return Math.max(spelling, overlap * 0.9);
}

function words(text: string): Set<string> {
  return new Set(text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1));
}
