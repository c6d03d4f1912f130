import type { Query, Store, Stored } from "@toolpacks/core";
import { textWords } from "@toolpacks/core/store";
import { episodePart, type EpisodePart } from "./episode.ts";

/** Maximum number of full-text results that are compared. */
const maxCompared = 50;

interface RecalledPart {
  readonly record: Stored<EpisodePart>;
  /** The share of the question's words that the part has, from 0 to 1. */
  readonly coverage: number;
}

interface PartQuestion extends Pick<Query, "everyWorkspace"> {
  /** The question without its stop words. */
  readonly text: string;
  /** The stems of its words. */
  readonly wanted: ReadonlySet<string>;
  /** Only parts from then on, and before then. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only parts that were written at this time or before. */
  readonly asOf?: string | undefined;
}

/** Finds parts of episodes that have at least half of a question's words, best first. Damaged records are left out. */
export async function recallParts(store: Store, question: PartQuestion): Promise<readonly RecalledPart[]> {
  const { text, wanted, since, until, asOf, everyWorkspace = false } = question;
  const range = {
    ...(since !== undefined && { gte: since }),
    ...(until !== undefined && { lt: until }),
    ...(asOf !== undefined && { lte: asOf }),
  };
  const page = await store.query(episodePart, {
    ...(Object.keys(range).length > 0 && { filter: { at: range } }),
    text,
    match: "any",
    limit: maxCompared,
    everyWorkspace,
    skipDamaged: true,
  });
  return page.items
    .map((record) => ({ record, coverage: coverage(record.data.text, wanted) }))
    .filter((part) => part.coverage >= 0.5)
    .toSorted((a, b) => b.coverage - a.coverage);
}

/** The share of the wanted words that a text has. */
export function coverage(text: string, wanted: ReadonlySet<string>): number {
  const has = new Set(textWords(text));
  return [...wanted].filter((word) => has.has(word)).length / wanted.size;
}

/**
 * How many of the best parts are shown with the observations. Observations come first: a part takes the place of an observation only if it has more of
 * the question's words, and at most half of the places.
 *
 * @param observations coverages of the observations that would be shown without parts
 * @param limit maximum number of items
 */
export function countShownParts(
  parts: readonly Pick<RecalledPart, "coverage">[],
  observations: readonly number[],
  limit: number,
): number {
  let shown = Math.min(parts.length, limit - observations.length);
  while (shown < parts.length && shown < Math.floor(limit / 2)) {
    const replaced = observations[limit - shown - 1] ?? 0;
    if ((parts[shown]?.coverage ?? 0) <= replaced) break;
    shown += 1;
  }
  return shown;
}
