import { stemmer } from "stemmer";
import { stopWords } from "./stop-words.ts";

/**
 * The index holds four sorts of term, told apart by their first character: a word as it was written, its stem (`~`), two
 * neighbouring words of a name without the space (`+`, so that `google_sheets` is found by `googlesheets`), and two
 * neighbouring stems (`_`).
 */
export const markers = { stem: "~", joined: "+", pair: "_" } as const;

const stems = new Map<string, string>();

/** Enough for any catalog's vocabulary; beyond it the words come from a caller without end. */
const mostStems = 50_000;

/** A word's stem as a term. Only English is stemmed; any other word stands for itself. */
export function stemTerm(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = markers.stem + (/^[a-z]+$/.test(word) ? stemmer(word) : word);
  if (stems.size < mostStems) stems.set(word, stem);
  return stem;
}

/** Words as they are and stemmed: stems alone put `news` with `new`, raw words alone part `issue` from `issues`. */
export function wordTerms(words: readonly string[]): readonly string[] {
  return meaningful(words).flatMap((word) => [word, stemTerm(word)]);
}

/** Each two neighbouring words of a name, joined. */
export function joinedWords(words: readonly string[]): readonly string[] {
  return words.slice(1).map((word, at) => `${words[at]}${word}`);
}

/** Each two neighbouring stems, stop words apart. */
export function pairTerms(words: readonly string[]): readonly string[] {
  const all = meaningful(words).map((word) => stemTerm(word).slice(1));
  return all.slice(1).map((stem, at) => `${markers.pair}${all[at]} ${stem}`);
}

/** The stems of a stem or a pair. */
export function stemsOf(term: string): readonly string[] {
  return term.startsWith(markers.pair) ? term.slice(1).split(" ").map((stem) => markers.stem + stem) : [term];
}

/** True for a term that is a word as it was written. */
export function isWord(term: string): boolean {
  return !Object.values<string>(markers).includes(term.charAt(0));
}

export function meaningful(words: readonly string[]): readonly string[] {
  return words.filter((word) => !stopWords.has(word));
}
