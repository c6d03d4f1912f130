import type { Store } from "@toolpacks/core";

/**
 * Exports the current knowledge of a workspace as lines of the official memory server's file: entities with their observations, then relations,
 * each oldest first. History, tags and sources are not exported.
 *
 * An observation about several entities goes to the first of them that is not forgotten. An observation about no entity, or only about
 * forgotten ones, goes to the entity `notes`. So the file has everything that recall finds.
 *
 * All entities and all observation texts stay in memory until the end, because an entity's line contains all of its observations. Relations are
 * streamed.
 */
export async function* exportGraph(store: Pick<Store, "query">): AsyncGenerator<string> {
  yield* (await import("./graph-lines.ts")).graphLines(store);
}
