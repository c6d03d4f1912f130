export type { EmbeddingEndpoint } from "./embedding-endpoint.ts";
export { loadMeaning, type Meaning } from "./meaning.ts";
export { createTextComparer, type TextComparer, type TextComparerOptions, type TextEmbedder } from "./text-comparer.ts";
export { cosine, type ComparedText } from "./text-vectors.ts";
export { wordMeaning } from "./word-meaning.ts";
