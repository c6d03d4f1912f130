import type { Store } from "@toolpacks/core";
import type { TextComparer } from "@toolpacks/meaning";
import { contentOf, contentWords, textWords } from "@toolpacks/store";
import { rangeOf } from "../fields.ts";
import type { StoredObservation } from "../knowledge/observation.ts";
import { passageSimilarities } from "../knowledge/passage-similarities.ts";
import { defaultLimit, type RecallRequest } from "../knowledge/recall-request.ts";
import type { MemoryContext } from "../memory-context.ts";
import { episodePart } from "./episode.ts";

/** Maximum number of full-text results that are compared. */
const maxCompared = 50;
/** Maximum number of characters of an observation that are compared. */
const maxComparedLength = 20_000;
/** The share of a question's words that a part has. */
const minCoverage = 0.5;
/** The lowest similarity of a part that has fewer words of the question. */
const minSimilarity = 0.46;

/**
 * Adds parts of episodes to observations. Observations come first: a part takes the place of an observation only if it has more of the question's words,
 * and parts take at most half of the places. A part with few of the words, but of a similar meaning, only takes a place that is left. Parts have neither
 * entities nor tags.
 *
 * @returns the observations to show and the parts to show after them, best first, and the number of parts that match, shown or not;
 *   `isNear`: whether none of them has half of the words
 */
export async function addParts(
  { store, compare }: Pick<MemoryContext, "store" | "compare">,
  request: RecallRequest,
  observations: readonly StoredObservation[],
) {
  const { query, entity, tags = [], limit: maxItems = defaultLimit } = request;
  const shown = observations.slice(0, maxItems);
  const wanted = contentWords(query);
  const mayMatch = wanted.size > 0 && entity === undefined && tags.length === 0;
  const found = mayMatch ? await findParts(store, request, wanted) : [];
  const covering = found.filter((part) => part.coverage >= minCoverage).toSorted((a, b) => b.coverage - a.coverage);
  const left = maxItems - shown.length - covering.length;
  const others = found.filter((part) => left > 0 && part.coverage < minCoverage);
  const parts = [...covering, ...(await similarParts(compare, query, others)).slice(0, left)];
  if (parts.length === 0) return { shown, parts: [], partCount: 0, isNear: false };
  const covered = shown.map(({ data: { text, about = [] } }) =>
    coverage([text.slice(0, maxComparedLength), ...about].join(" "), wanted),
  );
  let count = Math.min(parts.length, maxItems - shown.length);
  while (count < parts.length && count < Math.floor(maxItems / 2)) {
    if ((parts[count]?.coverage ?? 0) <= (covered[maxItems - count - 1] ?? 0)) break;
    count += 1;
  }
  return {
    shown: shown.slice(0, maxItems - count),
    parts: parts.slice(0, count).map(({ record }) => record),
    partCount: parts.length,
    isNear: covering.length === 0,
  };
}

/** Finds parts with words of a question, or of a similar meaning. Damaged records are left out. */
async function findParts(
  store: Store,
  { query, since, until, asOf, workspace }: RecallRequest,
  wanted: ReadonlySet<string>,
) {
  const page = await store.query(episodePart, {
    filter: { at: rangeOf({ gte: since, lt: until, lte: asOf }) },
    text: contentOf(query),
    match: "any",
    near: query,
    limit: maxCompared,
    countTo: 1,
    everyWorkspace: workspace === "*",
    skipDamaged: true,
  });
  return page.items.map((record) => ({ record, coverage: coverage(record.data.text, wanted) }));
}

type FoundPart = Awaited<ReturnType<typeof findParts>>[number];

/** The parts whose meaning is similar to that of a question, nearest first. */
async function similarParts(compare: TextComparer, question: string, parts: readonly FoundPart[]) {
  const texts = parts.map(({ record }) => record.data.text);
  const similarities = texts.length === 0 ? undefined : await passageSimilarities(compare, { question }, texts);
  return parts
    .map((part, at) => ({ ...part, similarity: similarities?.[at] ?? 0 }))
    .filter((part) => part.similarity >= minSimilarity)
    .toSorted((a, b) => b.similarity - a.similarity);
}

/** The share of the wanted words that a text has, from 0 to 1. */
function coverage(text: string, wanted: ReadonlySet<string>): number {
  const has = new Set(textWords(text, wanted));
  return [...wanted].filter((word) => has.has(word)).length / wanted.size;
}
