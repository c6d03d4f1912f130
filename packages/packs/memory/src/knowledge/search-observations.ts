import type { Query, Store, Stored } from "@toolpacks/core";
import type { z } from "zod";
import { contentOf } from "./content-words.ts";
import { observation } from "./observation.ts";

type Observation = Stored<z.output<(typeof observation)["schema"]>>;

export interface FoundObservations {
  /** Best first. */
  readonly items: readonly Observation[];
  readonly total: number;
  /** Number of damaged records that were left out. */
  readonly damaged?: number;
}

/** Maximum number of full-text results that are ranked. */
export const maxFound = 100;

/** Finds the observations that share words with a question. The store selects them by its own full-text rank. */
export async function searchObservations(
  store: Store,
  { question, ...query }: { readonly question: string } & Query,
): Promise<FoundObservations> {
  const text = contentOf(question);
  return store.query(observation, { ...query, text, match: "any", limit: maxFound, skipDamaged: true });
}
