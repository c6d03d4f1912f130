import type { Catalog, CatalogEntry } from "@toolpacks/core";
import type { ToolFinder, ToolFinderOptions } from "./search/tool-finder.ts";

interface IndexedCatalog {
  readonly entries: readonly CatalogEntry[];
  readonly finder: ToolFinder;
}

/** Resolves to the finder of a catalog. */
export type LazyFinder = () => Promise<IndexedCatalog>;

/** Creates a function that resolves to the finder of a catalog. The index is loaded and built at the first call, and again when tools change. */
export function lazyFinder(catalog: Catalog, options: ToolFinderOptions): LazyFinder {
  let finder: ToolFinder | undefined;
  let indexed: readonly CatalogEntry[] | undefined;
  return async () => {
    const { createToolFinder, searchable } = await import("./search/index.ts");
    const entries = await catalog.entries();
    finder ??= createToolFinder(options);
    if (entries !== indexed) finder.update(entries.map(searchable));
    indexed = entries;
    return { entries, finder };
  };
}
