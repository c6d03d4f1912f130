/** BM25 over the texts of a few records, with SQLite's own constants. */
import { recordWords, type KindLayout } from "@toolpacks/store";
import type { RecordData } from "@toolpacks/core";

/** How soon more occurrences of a word add nothing, and how much a long text is discounted. */
const saturation = 1.2;
const lengthDiscount = 0.75;
/** The first text field counts double. */
const firstFieldWeight = 2;

/** A record's words, counted. */
export interface CountedWords {
  /** Occurrences of each wanted word that the record has, weighted by their field. */
  readonly occurrences: ReadonlyMap<string, number>;
  /** Number of all words. */
  readonly length: number;
}

export function countWords(kind: KindLayout, data: RecordData, wanted: ReadonlySet<string>): CountedWords {
  const { first, rest } = recordWords(data, kind.text);
  const occurrences = new Map<string, number>();
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) if (wanted.has(word)) occurrences.set(word, (occurrences.get(word) ?? 0) + weight);
  };
  add(first, firstFieldWeight);
  add(rest, 1);
  return { occurrences, length: first.length + rest.length };
}

/** The part of BM25 that a word adds, without its rarity. @param relativeLength the length of the text, in average lengths */
export function wordScore(occurrences: number, relativeLength: number): number {
  const norm = saturation * (1 - lengthDiscount + lengthDiscount * relativeLength);
  return (occurrences * (saturation + 1)) / (occurrences + norm);
}

/** The average length of all texts, from the rank of one of them by one word. Undefined if the rank does not tell it. */
export function averageLength(
  { length, occurrences }: { readonly length: number; readonly occurrences: number },
  score: number,
): number | undefined {
  const norm = (occurrences * (saturation + 1)) / score - occurrences;
  const relative = (norm / saturation - (1 - lengthDiscount)) / lengthDiscount;
  return relative > 0.001 && relative < 1_000 ? length / relative : undefined;
}
