import type { Query, Store, Stored } from "@toolpacks/core";
import { textWords } from "@toolpacks/core/store";
import type { z } from "zod";
import { contentOf } from "./content-words.ts";
import { observation } from "./observation.ts";

type Observation = Stored<z.output<(typeof observation)["schema"]>>;

export interface FoundObservations {
  /** Best first. */
  readonly items: readonly Observation[];
  readonly total: number;
}

/** How many of those that full text finds are looked at. */
export const mostFound = 40;
/** So many words that all occur in one observation say enough; fewer may do so by chance. */
const enoughWords = 3;
/** Of a longer question only so many words are tried without one of them: the longest, since those are the rare ones. */
const mostTried = 6;

/**
 * What full text finds of a question: observations with all of its words; then, where that is too little, those without one of them; and only then
 * those with any. Observations with several given words are few however many there are, while a frequent word alone is in a good part of
 * them all, and takes as long.
 *
 * @param wanted how many are enough
 */
export async function searchObservations(
  store: Store,
  { question, wanted, ...query }: { readonly question: string; readonly wanted: number } & Query,
): Promise<FoundObservations> {
  const words = distinctWords(contentOf(question));
  const find = (given: readonly string[], match: "all" | "any") =>
    store.query(observation, { ...query, text: given.join(" "), match, limit: mostFound });
  if (words.length > 1) {
    const all = await find(words, "all");
    if (all.total >= wanted || (all.total > 0 && words.length >= enoughWords)) return all;
  }
  if (words.length >= enoughWords) {
    const nearly = await withoutOne(words, (given) => find(given, "all"));
    if (nearly.total >= wanted) return nearly;
  }
  return find(words, "any");
}

async function withoutOne(
  words: readonly string[],
  find: (given: readonly string[]) => Promise<FoundObservations>,
): Promise<FoundObservations> {
  const tried = words.toSorted((a, b) => b.length - a.length).slice(0, mostTried);
  const pages: FoundObservations[] = [];
  for (const word of tried) pages.push(await find(tried.filter((other) => other !== word)));
  const items = [...new Map(pages.flatMap((page) => page.items).map((one) => [one.id, one])).values()];
  return { items, total: items.length };
}

/** One of each stem. */
function distinctWords(text: string): readonly string[] {
  const byStem = new Map<string, string>();
  for (const word of text.split(" ")) {
    const stem = textWords(word).join(" ");
    if (stem !== "" && !byStem.has(stem)) byStem.set(stem, word);
  }
  return byStem.size === 0 ? [text] : [...byStem.values()];
}
