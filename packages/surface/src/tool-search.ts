import { defineTool, listSchema, renderList, ToolError, type Catalog, type CatalogEntry } from "@toolpacks/core";
import { z } from "zod";
import { lazyFinder } from "./lazy-finder.ts";
import type { ToolFinderOptions } from "./search/tool-finder.ts";
import { shortSignature } from "./signature.ts";

/** Maximum estimated tokens of a hit. The estimate may be a fifth too low: 40 o200k tokens at most. */
const maxEstimatedTokens = 32;

const input = z.object({
  query: z.string().min(1).max(1000).describe("one step, in plain words"),
  limit: z.int().min(1).max(50).default(5).describe("most hits"),
  facet: z.string().max(64).optional().describe("search this pack only"),
});

const output = listSchema(
  z.object({ name: z.string(), facet: z.string(), mutates: z.boolean(), signature: z.string() }),
);

/** `tool_search`: finds callable tools by a sentence. The index is loaded and built at the first search. */
export function toolSearch(catalog: Catalog, options: ToolFinderOptions) {
  const ready = lazyFinder(catalog, options);
  return defineTool({
    name: "tool_search",
    description:
      "Find tools by what they do. Ask for one step at a time: a whole task finds half as much. Answers signatures ready to call.",
    keywords: ["find tool", "discover", "capabilities", "what can you do"],
    mutates: false,
    input,
    output,
    text: (page) => renderList(page, ({ signature }) => signature),
    handler: async ({ query, limit, facet }) => {
      checkFacet(catalog, facet);
      const { entries, finder } = await ready();
      const { hits, topCount, weak } = await finder.find(query, { limit, pack: facet });
      const items = hits.slice(0, topCount).flatMap(({ at }) => entries.slice(at, at + 1).map(summary));
      const nothing = (hits[0]?.score ?? 0) === 0;
      const hint = nothing ? nothingHint(catalog, facet, items.length) : weakHint;
      return { items, total: items.length, ...(weak && { hint }) };
    },
  });
}

function summary({ tool, facet }: CatalogEntry) {
  return { name: tool.name, facet, mutates: tool.mutates, signature: shortSignature(tool, maxEstimatedTokens) };
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

const weakHint = "Weak: no tool says much of this, these are the nearest. Try other words.";

function nothingHint(catalog: Catalog, facet: string | undefined, shown: number): string {
  const packs = catalog.packs.map((pack) => pack.name).join(", ") || "none";
  if (shown === 0) return `No tool can be called${facet === undefined ? "" : " there"}. Mounted packs: ${packs}.`;
  const where = facet === undefined ? "" : " or leave out facet";
  return `Nothing matches, these names are the nearest. Try other words${where}. Mounted packs: ${packs}.`;
}
