import type { Scorer } from "./fielded-bm25.ts";
import type { Concept } from "./query.ts";
import { stemsOf } from "./terms.ts";
import { tuning } from "./tuning.ts";

/** The stems of a tool's name, and how rare each is among all tools. */
export interface NameStems {
  readonly stems: readonly string[];
  readonly rarities: readonly number[];
  readonly total: number;
}

export function nameStems(stems: readonly string[], scorer: Scorer): NameStems {
  const rarities = stems.map((stem) => scorer.rarity(stem));
  return { stems, rarities, total: rarities.reduce((sum, rarity) => sum + rarity, 0) };
}

/** How far a query says each stem: 1 for its own words, less for what stands in for them. */
export function saidStems(concepts: readonly Concept[]): ReadonlyMap<string, number> {
  const said = new Map<string, number>();
  const say = (stem: string, weight: number) => said.set(stem, Math.max(weight, said.get(stem) ?? 0));
  for (const { stem, substitutes } of concepts) {
    if (stem !== undefined) say(stem, 1);
    for (const { term, weight } of substitutes) for (const said of stemsOf(term)) say(said, weight);
  }
  return said;
}

/**
 * What a tool's score is multiplied by for the share of its name that the query says, by rarity. It is what tells
 * `create_issue` from `create_issue_comment` when both hold every word of the query.
 */
export function coverageFactor({ stems, rarities, total }: NameStems, said: ReadonlyMap<string, number>): number {
  if (total === 0) return 1;
  let covered = 0;
  for (let at = 0; at < stems.length; at += 1) covered += (said.get(stems[at] ?? "") ?? 0) * (rarities[at] ?? 0);
  return 1 + (tuning.nameCoverage * covered) / total;
}
