import { everyRecord } from "@toolpacks/store";
import type { Store, Stored } from "@toolpacks/core";
import { episodePart, type EpisodePart } from "./episode.ts";

/** Iterates over the parts of an episode, closed or not, in their order. */
export function everyEpisodePart(store: Store, id: string): AsyncGenerator<Stored<EpisodePart>> {
  return everyRecord(store, episodePart, {
    filter: { episode: id },
    sort: ["part"],
    includeClosed: true,
    skipDamaged: true,
    pageSize: 500,
  });
}
