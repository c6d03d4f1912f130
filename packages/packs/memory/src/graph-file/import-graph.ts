import type { Store } from "@toolpacks/core";

/** Counts of an import. */
export interface ImportedGraph {
  /** New entities, observations and relations. */
  readonly entities: number;
  readonly observations: number;
  readonly relations: number;
  /** Lines whose entity, observation or relation existed already. */
  readonly known: number;
}

/**
 * Imports a file of the official memory server into a workspace, in one transaction. Existing records stay unchanged, so importing a file twice
 * changes nothing.
 *
 * @param lines one JSON entity or relation per line; empty lines are skipped
 * @throws ToolError `invalid_input` with the line number
 */
export async function importGraph(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportedGraph> {
  return (await import("./write-graph.ts")).writeGraph(store, lines);
}
