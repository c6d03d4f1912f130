import { defineTool, listSchema, renderList, ToolError, type Catalog, type CatalogEntry } from "@toolpacks/core";
import { z } from "zod";
import { createSearchIndex, type SearchIndex } from "./search-index.ts";
import { shortSignature } from "./signature.ts";

/** A hit takes at most 40 o200k tokens; the estimate may be a fifth too low. */
const mostEstimatedTokens = 32;

const input = z.object({
  query: z.string().min(1).max(1000).describe("one step, in plain words"),
  limit: z.int().min(1).max(50).default(5).describe("most hits"),
  facet: z.string().max(64).optional().describe("search this pack only"),
});

const output = listSchema(
  z.object({ name: z.string(), facet: z.string(), mutates: z.boolean(), signature: z.string() }),
);

/** `tool_search`: finds callable tools by a sentence. The index is made at the first search. */
export function toolSearch(catalog: Catalog) {
  const index = lazyIndex(catalog);
  return defineTool({
    name: "tool_search",
    description: "Find tools by what they do; ask for one step at a time. Answers signatures ready to call.",
    keywords: ["find tool", "discover", "capabilities", "what can you do"],
    mutates: false,
    input,
    output,
    text: (page) => renderList({ ...page, total: page.items.length }, ({ signature }) => signature),
    handler: async ({ query, limit, facet }) => {
      checkFacet(catalog, facet);
      const hits = (await index()).search(query, facet);
      const items = hits.slice(0, limit).map(({ entry }) => summary(entry));
      return { items, total: hits.length, ...(hits.length === 0 && { hint: nothingFound(catalog, facet) }) };
    },
  });
}

function lazyIndex(catalog: Catalog): () => Promise<SearchIndex> {
  let last: { readonly of: readonly CatalogEntry[]; readonly index: SearchIndex } | undefined;
  return async () => {
    const entries = await catalog.entries();
    // The catalog answers with another array once another server's tools have changed.
    if (last?.of !== entries) last = { of: entries, index: createSearchIndex(entries) };
    return last.index;
  };
}

function summary({ tool, facet }: CatalogEntry) {
  return { name: tool.name, facet, mutates: tool.mutates, signature: shortSignature(tool, mostEstimatedTokens) };
}

function checkFacet(catalog: Catalog, facet: string | undefined): void {
  const facets = catalog.packs.map((pack) => pack.name);
  if (facet === undefined || facets.includes(facet)) return;
  throw new ToolError(
    "not_found",
    `facet: no mounted pack is named ${JSON.stringify(facet)}`,
    `Mounted: ${facets.join(", ") || "none"}.`,
  );
}

function nothingFound(catalog: Catalog, facet: string | undefined): string {
  const packs = catalog.packs.map((pack) => pack.name).join(", ") || "none";
  const where = facet === undefined ? "" : " or leave out facet";
  return `No tool matches. Try other words${where}. Mounted packs: ${packs}.`;
}
