import { isOwn, type Findable } from "./ready-signature.ts";
import type { Ranking } from "./search/search-index.ts";

/** A hit of one query. */
export interface Hit {
  readonly found: Findable;
  /** Its score, as a share of the best hit's. 0 if no hit is good. */
  readonly share: number;
}

/** The least share from which on a hit is about as good as the best one: in general, and for another server's tool where the best hit is our own. */
const minShare = { general: 0.75, foreign: 0.9 } as const;

/** Whether a hit is about as good as the best one. */
export function isClose({ found, share }: Hit, best: Hit | undefined): boolean {
  const isForeign = !isOwn(found) && best !== undefined && isOwn(best.found);
  return share >= (isForeign ? minShare.foreign : minShare.general);
}

/** The hits of a ranking that are about the best. */
export function topHits({ hits, topCount, weak }: Ranking, entries: readonly Findable[]): readonly Hit[] {
  const best = hits[0]?.score ?? 0;
  return hits
    .slice(0, topCount)
    .flatMap(({ at, score }) =>
      entries.slice(at, at + 1).map((found) => ({ found, share: weak || best === 0 ? 0 : score / best })),
    );
}
