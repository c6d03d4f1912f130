/** BM25 over the texts of a few records, with SQLite's own constants. */
import { recordWords, type KindLayout } from "@toolpacks/store";
import type { RecordData } from "@toolpacks/core";

/** How soon more occurrences of a word add nothing, and how much a long text is discounted. */
const saturation = 1.2;
const lengthDiscount = 0.75;
/** The first text field counts double. */
const firstFieldWeight = 2;

export interface Ranking {
  /** The rarity of each word of the query. */
  readonly rarities: ReadonlyMap<string, number>;
  /** Average number of words of a record. */
  readonly averageLength: number;
}

/** The BM25 of a record. */
export function textScore(kind: KindLayout, data: RecordData, { rarities, averageLength }: Ranking): number {
  const { first, rest } = recordWords(data, kind.text, new Set(rarities.keys()));
  const occurrences = new Map<string, number>();
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) if (rarities.has(word)) occurrences.set(word, (occurrences.get(word) ?? 0) + weight);
  };
  add(first, firstFieldWeight);
  add(rest, 1);
  const relativeLength = (first.length + rest.length) / averageLength;
  return [...occurrences].reduce(
    (sum, [word, times]) => sum + (rarities.get(word) ?? 0) * wordScore(times, relativeLength),
    0,
  );
}

/** The part of BM25 that a word adds, without its rarity. @param relativeLength the length of the text, in average lengths */
export function wordScore(occurrences: number, relativeLength: number): number {
  const norm = saturation * (1 - lengthDiscount + lengthDiscount * relativeLength);
  return (occurrences * (saturation + 1)) / (occurrences + norm);
}
