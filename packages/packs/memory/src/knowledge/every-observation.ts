import { everyRecord, type UnpagedQuery } from "@toolpacks/store";
import type { Store, Stored } from "@toolpacks/core";
import type { z } from "zod";
import { observation } from "./observation.ts";

/** A small page, because an observation may have a million characters. */
const pageSize = 100;

/** Iterates over every observation that matches a query. Holds at most one page (100) in memory. */
export function everyObservation(
  store: Pick<Store, "query">,
  query: Omit<UnpagedQuery, "pageSize"> = {},
): AsyncGenerator<Stored<z.output<typeof observation.schema>>> {
  return everyRecord(store, observation, { ...query, pageSize });
}
