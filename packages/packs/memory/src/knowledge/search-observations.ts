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
  /** Damaged records that were left out. */
  readonly damaged?: number;
}

/** How many of those that full text finds are looked at. */
export const maxFound = 40;
/** So many words that all occur in one observation say enough; fewer may do so by chance. */
const enoughWords = 3;
/** Of a longer question only so many words are tried without one of them: the longest, since those are the rare ones. */
const maxTried = 6;

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
  const any = { ...query, text: words.join(" "), match: "any", limit: maxFound, skipDamaged: true } as const;
  if (words.length > 1) {
    const all = await withAll(store, query, words);
    if (all.total >= wanted || (all.total > 0 && words.length >= enoughWords)) return all;
  }
  if (words.length >= enoughWords) {
    const nearly = await withoutOne(store, query, words);
    if (nearly.total >= wanted) return nearly;
  }
  return store.query(observation, any);
}

/**
 * A few with all of the words are found without asking for their rank, which counts how frequent each word is in everything that is known.
 * Shorter texts come first then, as they would by rank.
 */
async function withAll(store: Store, query: Query, words: readonly string[]): Promise<FoundObservations> {
  const all = { ...query, text: words.join(" "), match: "all", limit: maxFound, skipDamaged: true } as const;
  const page = await store.query(observation, { ...all, sort: ["-generation"] });
  if (page.total > maxFound) return store.query(observation, all);
  return { ...page, items: shortestFirst(page.items) };
}

async function withoutOne(store: Store, query: Query, words: readonly string[]): Promise<FoundObservations> {
  const tried = words.toSorted((a, b) => b.length - a.length).slice(0, maxTried);
  const found = new Map<string, Observation>();
  let damaged = 0;
  for (const word of tried) {
    const given = tried.filter((other) => other !== word);
    const page = await withAll(store, query, given);
    for (const one of page.items) found.set(one.id, one);
    damaged = Math.max(damaged, page.damaged ?? 0);
  }
  const items = shortestFirst([...found.values()]).slice(0, maxFound);
  return { items, total: found.size, ...(damaged > 0 && { damaged }) };
}

function shortestFirst(found: readonly Observation[]): readonly Observation[] {
  return found.toSorted((a, b) => a.data.text.length - b.data.text.length);
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
