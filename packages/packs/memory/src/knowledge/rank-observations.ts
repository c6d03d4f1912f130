import type { Stored } from "@toolpacks/core";
import { textWords } from "@toolpacks/core/store";
import type { z } from "zod";
import type { observation } from "./observation.ts";
import { isAlike, statementOf } from "./statement.ts";

type Observation = Stored<z.output<(typeof observation)["schema"]>>;

/** After so many days an observation is half as recent. */
const halfLifeDays = 30;
const day = 86_400_000;
const maxComparedLength = 2_000;

export interface Ranking {
  /** The words asked for, by their stems. */
  readonly wanted: ReadonlySet<string>;
  /** How often each was recalled before, by id. */
  readonly recalled: ReadonlyMap<string, number>;
  /** Milliseconds. */
  readonly now: number;
}

/**
 * Orders what full text found, best first. Its place there counts most, then how many of the words it has; recency and use decide among
 * those that say nearly the same, where the newer statement is the one that holds.
 */
export function rankObservations(found: readonly Observation[], ranking: Ranking): readonly Observation[] {
  const newest = Math.max(...found.map(({ generation }) => generation));
  const oldest = Math.min(...found.map(({ generation }) => generation));
  const scored = found.map((one, place) => {
    const order = newest === oldest ? 1 : (one.generation - oldest) / (newest - oldest);
    const age = Math.max(0, ranking.now - Date.parse(one.data.since ?? "")) / day;
    const recency = 0.5 * order + 0.5 * 2 ** (-age / halfLifeDays);
    const use = Math.min(1, Math.log2(1 + (ranking.recalled.get(one.id) ?? 0)) / 6);
    const score = 1 / (1 + place / 24) + coverage(one, ranking.wanted) + 0.08 * recency + 0.1 * use;
    return { one, score };
  });
  scored.sort((a, b) => b.score - a.score);
  return newerFirst(scored.map(({ one }) => one));
}

/** So many of the best are compared with each other. */
const maxCompared = 12;

/** Of two that say nearly the same about the same, the newer comes first: it is the one that holds. */
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

/** The share of the words that it has. */
function coverage({ data }: Observation, wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  const has = new Set(
    textWords([data.text.slice(0, maxComparedLength), ...(data.about ?? []), ...(data.tags ?? [])].join(" ")),
  );
  return [...wanted].filter((word) => has.has(word)).length / wanted.size;
}
