import { damagedHint, textWords } from "@toolpacks/store";
import type { Query, Store, Stored } from "@toolpacks/core";
import type { z } from "zod";
import type { MissingEntity } from "./known-entity.ts";
import { observation } from "./observation.ts";
export interface FoundObservations {
  /** Best first. */
  readonly items: readonly Stored<z.output<(typeof observation)["schema"]>>[];
  readonly total: number;
  /** Number of damaged records that were left out. */
  readonly damaged?: number;
}

export interface NamingObservations extends FoundObservations {
  /** Says that the name is no entity's, and how many observations name it, or which names are similar. */
  readonly hint: string;
}

/** Finds observations that contain every word of a name that is no entity's, best first. */
export async function observationsNaming(
  store: Store,
  { name, reason, suggestion }: MissingEntity,
  query: Query,
): Promise<NamingObservations> {
  const hasWords = textWords(name).length > 0;
  const { items, total, damaged } = hasWords
    ? await store.query(observation, { ...query, text: name, match: "all", skipDamaged: true })
    : { items: [], total: 0 };
  const hints =
    total === 0
      ? [`There is ${reason}, and no observation names it.`, ...(suggestion === undefined ? [] : [suggestion])]
      : [`There is ${reason}; ${total === 1 ? "1 observation names" : `${total} observations name`} it.`];
  return { items, total, hint: [hints.join(" "), ...(damaged === undefined ? [] : [damagedHint(damaged)])].join("\n") };
}
