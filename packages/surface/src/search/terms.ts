import { stemmer } from "stemmer";
import { stopWords } from "./stop-words.ts";

/**
 * First characters of terms. The index holds four kinds of term: words as written (no marker), stems (`~`), two
 * neighbouring words of a name joined (`+`, so that `googlesheets` finds `google_sheets`), and pairs of stems (`_`).
 */
export const markers = { stem: "~", joined: "+", pair: "_" } as const;

/** The stem of a word as a term. Only English words are stemmed. */
export function stemTerm(word: string): string {
  return markers.stem + (/^[a-z]+$/.test(word) ? stemmer(word) : word);
}

/** Every two neighbouring words, joined. */
export function joinedWords(words: readonly string[]): readonly string[] {
  return words.slice(1).map((word, at) => `${words[at]}${word}`);
}

/** Every two neighbouring stems, without stop words. */
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
