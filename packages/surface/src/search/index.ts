export type { EmbeddingEndpoint } from "@toolpacks/meaning";
export type { Ranked } from "./ranking.ts";
export { createSearchIndex, type RankOptions, type Ranking, type SearchIndex } from "./search-index.ts";
export { searchable, type Searchable } from "./searchable.ts";
export { createToolFinder, type ToolFinder, type ToolFinderOptions } from "./tool-finder.ts";
export { tuning } from "./tuning.ts";
