import { everyRecord, type Store, type Stored, type UnpagedQuery } from "@toolpacks/core";
import type { z } from "zod";
import { observation } from "./observation.ts";

/** An observation may hold a million characters. */
const pageSize = 100;

/** Every observation that a query finds, of which no more than 100 are in memory at a time unless whoever reads them keeps them. */
export function everyObservation(
  store: Pick<Store, "query">,
  query: Omit<UnpagedQuery, "pageSize"> = {},
): AsyncGenerator<Stored<z.output<typeof observation.schema>>> {
  return everyRecord(store, observation, { ...query, pageSize });
}
