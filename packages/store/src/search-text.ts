import type { Kind, Page, Query, Store } from "@toolpacks/core";
import type { SchemaOutput } from "@toolpacks/schema";
import { contentOf } from "./content-words.ts";

/** Maximum number of records that are shown in place of those with all words. */
const maxRelated = 10;
/** The lowest similarity of a record that is shown though it has none of the words. */
const minSimilarity = 0.25;

/** A page of records that match, or of others, which its hint says. */
export type SearchPage<Data> = Page<Data> & { readonly hint?: string };

/**
 * Runs a query whose text a person or a model wrote. If no record has all of the words, and the kind has `meaning`, the page has records
 * with some of the words or of a similar meaning: at most 10, best first. The total stays 0, because they do not match.
 */
export async function searchText<K extends Kind>(
  store: Store,
  kind: K,
  query: Query,
): Promise<SearchPage<SchemaOutput<K["schema"]>>> {
  const page = await store.query(kind, query);
  const { text, cursor, sinceGeneration, sort: _sort, compaction, ...rest } = query;
  const limit = query.limit ?? compaction?.show ?? maxRelated;
  const isList = limit > 0 && cursor === undefined && sinceGeneration === undefined;
  if (page.total > 0 || text === undefined || !isList || kind.meaning.length === 0) return page;
  const related = await store.query(kind, {
    ...rest,
    text: contentOf(text),
    match: "any",
    near: text,
    minSimilarity,
    limit: Math.min(limit, maxRelated),
    countTo: 1,
  });
  if (related.items.length === 0) return page;
  const hint = "None has all of the words; these have some of them, or a similar meaning.";
  return { ...page, items: related.items, hint };
}
