export type { EmbeddingEndpoint } from "./embedding-endpoint.ts";
export { loadMeaning, type Meaning } from "./meaning.ts";
export { compareWithWords, createTextComparer, type TextComparer, type TextComparerOptions } from "./text-comparer.ts";
export { cosine, type ComparedText } from "./text-vectors.ts";
export { type TextEmbedder, wordMeaning } from "./word-meaning.ts";
