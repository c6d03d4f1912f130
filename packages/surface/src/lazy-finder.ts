import type { Catalog, CatalogEntry } from "@toolpacks/core";
import type { Findable } from "./ready-signature.ts";
import type { ToolFinder, ToolFinderOptions } from "./search/tool-finder.ts";

/** A finder, and what the numbers of its hits mean: tools, and uses of tools. */
export interface IndexedCatalog {
  readonly entries: readonly Findable[];
  readonly finder: ToolFinder;
}

/** Resolves to the finder of a catalog. */
export type LazyFinder = () => Promise<IndexedCatalog>;

/** Creates a function that resolves to an up-to-date finder. The index is loaded and built at the first call. */
export function lazyFinder(catalog: Catalog, options: ToolFinderOptions): LazyFinder {
  let finder: ToolFinder | undefined;
  let indexed: { readonly of: readonly CatalogEntry[]; readonly entries: readonly Findable[] } | undefined;
  return async () => {
    const { createToolFinder, searchable, tuning } = await import("./search/index.ts");
    const of = await catalog.entries();
    finder ??= createToolFinder(options);
    if (of !== indexed?.of) {
      const packsWithTools = new Set(of.map(({ facet }) => facet));
      const hasTools = ({ use, facet }: Findable) => use?.kind !== undefined && packsWithTools.has(facet);
      // The tools of a pack write its kinds.
      const isFound = (found: Findable) => !(found.tool.mutates && hasTools(found));
      const weightOf = (found: Findable) => (hasTools(found) ? tuning.kindWithTools : undefined);
      const entries = of.flatMap((entry): readonly Findable[] => [entry, ...usesOf(entry, catalog).filter(isFound)]);
      finder.update(entries.map((found) => searchable(found, weightOf(found))));
      indexed = { of, entries };
    }
    return { entries: indexed.entries, finder };
  };
}

/** The uses of a tool. The facet of a kind is the pack that declares it. */
function usesOf({ tool, facet }: CatalogEntry, { packs }: Catalog): readonly Findable[] {
  const uses = tool.uses?.() ?? [];
  return uses.map((use) => {
    const owner = packs.find(({ kinds }) => use.kind !== undefined && kinds.includes(use.kind));
    return { tool, facet: owner?.name ?? facet, use };
  });
}
