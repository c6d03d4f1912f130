import { stemmer } from "stemmer";
import { stopWords } from "./stop-words.ts";

/**
 * The index holds four sorts of term, told apart by their first character: a word as it was written, its stem (`~`), two
 * neighbouring words of a name without the space (`+`, so that `google_sheets` is found by `googlesheets`), and two
 * neighbouring stems (`_`).
 */
export const markers = { stem: "~", joined: "+", pair: "_" } as const;

/** A word's stem as a term. Only English is stemmed; any other word stands for itself. */
export function stemTerm(word: string): string {
  return markers.stem + (/^[a-z]+$/.test(word) ? stemmer(word) : word);
}

/** Each two neighbouring words, joined. */
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
  if (!term.startsWith(markers.pair)) return [term];
  return term
    .slice(1)
    .split(" ")
    .map((stem) => markers.stem + stem);
}

export function meaningful(words: readonly string[]): readonly string[] {
  return words.filter((word) => !stopWords.has(word));
}
