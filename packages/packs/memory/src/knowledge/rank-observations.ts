import type { Stored } from "@toolpacks/core";
import { textWords } from "@toolpacks/core/store";
import type { z } from "zod";
import type { observation } from "./observation.ts";

type Observation = Stored<z.output<(typeof observation)["schema"]>>;

/** After so many days an observation is half as recent. */
const halfLifeDays = 30;
const day = 86_400_000;
const longestCompared = 2_000;

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
  return scored.map(({ one }) => one);
}

/** The share of the words that it has. */
function coverage({ data }: Observation, wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  const has = new Set(
    textWords([data.text.slice(0, longestCompared), ...(data.about ?? []), ...(data.tags ?? [])].join(" ")),
  );
  return [...wanted].filter((word) => has.has(word)).length / wanted.size;
}
