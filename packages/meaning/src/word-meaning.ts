import { loadMeaning, tableName } from "./meaning.ts";

/** Makes the vectors of texts. */
export interface TextEmbedder {
  /** For messages. */
  readonly name: string;
  /** The unit vectors of texts, in their order. Rejects if it cannot make them. */
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
}

/** Loads the table of word vectors as an embedder, such as a store uses to find its records. */
export async function wordMeaning(): Promise<TextEmbedder> {
  const { vectorOf } = await loadMeaning();
  return { name: tableName, embed: async (texts) => texts.map((text) => vectorOf(text)) };
}
