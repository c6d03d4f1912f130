import type { Query, Store, Stored } from "@toolpacks/core";
import { textWords } from "@toolpacks/core/store";
import type { z } from "zod";
import { contentOf } from "./content-words.ts";
import { observation } from "./observation.ts";

type Observation = Stored<z.output<(typeof observation)["schema"]>>;

export interface FoundObservations {
  /** Best first. */
  readonly items: readonly Observation[];
  /** Observations with half of the words, next to few with all of them. */
  readonly partial?: readonly Observation[];
  readonly total: number;
  /** Number of damaged records that were left out. */
  readonly damaged?: number;
}

/** Maximum number of full-text results that are ranked. */
export const maxFound = 40;
/** Minimum number of observations if the caller has no limit: full matches and partial ones. */
const minFound = 3;
/** Minimum number of words for which one full match is enough. Fewer words may match by chance. */
const minSufficientWords = 3;
/** Maximum number of words that a search without one word uses: the longest ones, because they are rare. */
const maxWordsTried = 6;

interface ObservationSearch {
  readonly question: string;
  readonly wanted: number;
  readonly enough?: number | undefined;
}

/**
 * Searches observations by a question's words. It first requires all words, then all words but one, then any word, until enough observations
 * match. Few full matches are followed by partial ones, because a question may have one word that only one of several relevant observations has. A
 * search for several words together matches few observations and is fast. A search for any word is slow: a frequent word is in a large part of all
 * observations.
 *
 * @param wanted how many observations are shown
 * @param enough how many are enough if one has all words. Default 3
 */
export async function searchObservations(
  store: Store,
  { question, wanted, enough = minFound, ...query }: ObservationSearch & Query,
): Promise<FoundObservations> {
  const words = distinctWords(contentOf(question));
  const any = { ...query, text: words.join(" "), match: "any", limit: maxFound, skipDamaged: true } as const;
  if (words.length > 1) {
    const all = await withAll(store, query, words);
    if (all.total >= wanted) return all;
    if (all.total > 0 && words.length >= minSufficientWords)
      return withHalf(store, query, { words, all, wanted, enough });
  }
  if (words.length >= minSufficientWords) {
    const partial = await withoutOne(store, query, words);
    if (partial.total >= wanted) return partial;
  }
  return store.query(observation, any);
}

/**
 * Finds observations with all of the words. It sorts few results by length, which is close to their rank: a ranked query is slower, because it counts
 * each word in all observations.
 */
async function withAll(store: Store, query: Query, words: readonly string[]): Promise<FoundObservations> {
  const all = { ...query, text: words.join(" "), match: "all", limit: maxFound, skipDamaged: true } as const;
  const page = await store.query(observation, { ...all, sort: ["-generation"] });
  if (page.total > maxFound) return store.query(observation, all);
  return { ...page, items: shortestFirst(page.items) };
}

async function withoutOne(store: Store, query: Query, words: readonly string[]): Promise<FoundObservations> {
  const tried = longestWords(words);
  const found = new Map<string, Observation>();
  let damaged = 0;
  for (const word of tried) {
    const rest = tried.filter((other) => other !== word);
    const page = await withAll(store, query, rest);
    for (const one of page.items) found.set(one.id, one);
    damaged = Math.max(damaged, page.damaged ?? 0);
  }
  const items = shortestFirst([...found.values()]).slice(0, maxFound);
  return { items, total: found.size, ...(damaged > 0 && { damaged }) };
}

interface FullMatches {
  readonly words: readonly string[];
  /** The observations with all of the words. */
  readonly all: FoundObservations;
  readonly wanted: number;
  readonly enough: number;
}

/** Adds observations with half of the words, until enough are found. The words are next to each other in the question, as those of a name are. */
async function withHalf(
  store: Store,
  query: Query,
  { words, all, wanted, enough }: FullMatches,
): Promise<FoundObservations> {
  const tried = longestWords(words);
  const size = Math.ceil(tried.length / 2);
  const full = new Set(all.items.map(({ id }) => id));
  const found = new Map<string, Observation>();
  let { total } = all;
  for (let at = 0; at + size <= tried.length; at += 1) {
    if (all.total + found.size >= enough) break;
    const text = tried.slice(at, at + size).join(" ");
    const page = await store.query(observation, {
      ...query,
      text,
      sort: ["-generation"],
      limit: Math.min(wanted, maxFound),
      skipDamaged: true,
    });
    for (const one of page.items) if (!full.has(one.id)) found.set(one.id, one);
    total = Math.max(total, page.total);
  }
  return { ...all, partial: [...found.values()], total: Math.max(total, all.total + found.size) };
}

/** The longest words, in the order of the question. */
function longestWords(words: readonly string[]): readonly string[] {
  const longest = new Set(words.toSorted((a, b) => b.length - a.length).slice(0, maxWordsTried));
  return words.filter((word) => longest.has(word));
}

function shortestFirst(found: readonly Observation[]): readonly Observation[] {
  return found.toSorted((a, b) => a.data.text.length - b.data.text.length);
}

/** The words of a text, one for each stem. */
function distinctWords(text: string): readonly string[] {
  const byStem = new Map<string, string>();
  for (const word of text.split(" ")) {
    const stem = textWords(word).join(" ");
    if (stem !== "" && !byStem.has(stem)) byStem.set(stem, word);
  }
  return byStem.size === 0 ? [text] : [...byStem.values()];
}
