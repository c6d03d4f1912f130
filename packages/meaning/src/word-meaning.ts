import { loadMeaning, tableName } from "./meaning.ts";
import type { TextEmbedder } from "./text-comparer.ts";

/** Loads the table of word vectors as an embedder, such as a store uses to find its records. */
export async function wordMeaning(): Promise<TextEmbedder> {
  const { vectorOf } = await loadMeaning();
  return { name: tableName, embed: async (texts) => texts.map((text) => vectorOf(text)) };
}
