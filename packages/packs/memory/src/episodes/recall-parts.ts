import type { Store, Stored } from "@toolpacks/core";
import { textWords } from "@toolpacks/store";
import { rangeOf } from "../fields.ts";
import { contentOf, contentWords } from "../knowledge/content-words.ts";
import type { StoredObservation } from "../knowledge/observation.ts";
import { defaultLimit, type RecallRequest } from "../knowledge/recall-request.ts";
import { episodePart, type EpisodePart } from "./episode.ts";

/** Maximum number of full-text results that are compared. */
const maxCompared = 50;
/** Maximum number of characters of an observation that are compared. */
const maxComparedLength = 20_000;

/**
 * Adds parts of episodes to observations. Observations come first: a part takes the place of an observation only if it has more of the question's words,
 * and parts take at most half of the places. Parts have neither entities nor tags.
 *
 * @returns the observations to show and the parts to show after them, best first, and the number of parts that match, shown or not
 */
export async function addParts(store: Store, request: RecallRequest, observations: readonly StoredObservation[]) {
  const { query, entity, tags = [], limit: maxItems = defaultLimit } = request;
  const shown = observations.slice(0, maxItems);
  const wanted = contentWords(query);
  const mayMatch = wanted.size > 0 && entity === undefined && tags.length === 0;
  const parts = mayMatch ? await recallParts(store, request, wanted) : [];
  if (parts.length === 0) return { shown, parts: [], partCount: 0 };
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
  };
}

/** Finds parts that have at least half of a question's words, best first. Damaged records are left out. */
async function recallParts(
  store: Store,
  { query, since, until, asOf, workspace }: RecallRequest,
  wanted: ReadonlySet<string>,
): Promise<readonly { readonly record: Stored<EpisodePart>; readonly coverage: number }[]> {
  const page = await store.query(episodePart, {
    filter: { at: rangeOf({ gte: since, lt: until, lte: asOf }) },
    text: contentOf(query),
    match: "any",
    limit: maxCompared,
    countTo: 1,
    everyWorkspace: workspace === "*",
    skipDamaged: true,
  });
  return page.items
    .map((record) => ({ record, coverage: coverage(record.data.text, wanted) }))
    .filter((part) => part.coverage >= 0.5)
    .toSorted((a, b) => b.coverage - a.coverage);
}

/** The share of the wanted words that a text has, from 0 to 1. */
function coverage(text: string, wanted: ReadonlySet<string>): number {
  const has = new Set(textWords(text, wanted));
  return [...wanted].filter((word) => has.has(word)).length / wanted.size;
}
