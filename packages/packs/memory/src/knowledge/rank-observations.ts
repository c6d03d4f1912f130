import type { Stored } from "@toolpacks/core";
import { textWords } from "@toolpacks/core/store";
import type { z } from "zod";
import type { observation } from "./observation.ts";
import { isAlike, statementOf } from "./statement.ts";

type Observation = Stored<z.output<(typeof observation)["schema"]>>;

/** Half-life of the recency score, in days. */
const halfLifeDays = 30;
const dayMs = 86_400_000;
const maxComparedLength = 2_000;

export interface Ranking {
  /** The stems of the query's words. */
  readonly wanted: ReadonlySet<string>;
  /** The current time, in ms since 1970. */
  readonly now: number;
}

/**
 * Ranks full-text results, best first. The full-text rank counts most, then the share of the query's words. Recency decides between
 * close scores. Of two similar statements about the same entities, the newer one comes first.
 */
export function rankObservations(found: readonly Observation[], ranking: Ranking): readonly Observation[] {
  const newest = Math.max(...found.map(({ generation }) => generation));
  const oldest = Math.min(...found.map(({ generation }) => generation));
  const scored = found.map((one, place) => {
    const order = newest === oldest ? 1 : (one.generation - oldest) / (newest - oldest);
    const age = Math.max(0, ranking.now - Date.parse(one.data.since ?? "")) / dayMs;
    const recency = 0.5 * order + 0.5 * 2 ** (-age / halfLifeDays);
    const score = 1 / (1 + place / 24) + coverage(one, ranking.wanted) + 0.08 * recency;
    return { one, score };
  });
  scored.sort((a, b) => b.score - a.score);
  return newerFirst(scored.map(({ one }) => one));
}

/** How many of the best observations are compared in pairs. */
const maxCompared = 12;

/** Puts the newer of two similar statements about the same entities first: it is the current one. */
function newerFirst(ranked: readonly Observation[]): readonly Observation[] {
  const ordered = [...ranked];
  const statements = new Map(
    ranked.slice(0, maxCompared).map((one) => [one, statementOf(one.data.text, one.data.about ?? [])] as const),
  );
  const isOutdated = (one: Observation, by: Observation) => {
    const [old, recent] = [statements.get(one), statements.get(by)];
    if (old === undefined || recent === undefined || by.generation < one.generation) return false;
    const isOfSame = one.data.about !== undefined && String(one.data.about) === String(by.data.about);
    return isOfSame && isAlike(old, recent);
  };
  for (let at = 0; at < Math.min(maxCompared, ordered.length); at += 1) {
    for (let later = at + 1; later < Math.min(maxCompared, ordered.length); later += 1) {
      const [one, other] = [ordered[at], ordered[later]];
      if (one === undefined || other === undefined || !isOutdated(one, other)) continue;
      ordered[at] = other;
      ordered[later] = one;
    }
  }
  return ordered;
}

/** The share of the query's words that an observation contains, from 0 to 1. */
function coverage({ data }: Observation, wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  const has = new Set(
    textWords([data.text.slice(0, maxComparedLength), ...(data.about ?? []), ...(data.tags ?? [])].join(" ")),
  );
  return [...wanted].filter((word) => has.has(word)).length / wanted.size;
}
