import type { TextEmbedder } from "@toolpacks/store";

/** Loads the table of word vectors, by which the records of a store are found without further packages. */
export async function wordMeaning(): Promise<TextEmbedder> {
  const { loadMeaning } = await import("@toolpacks/meaning");
  const { name, vectorOf } = await loadMeaning();
  return { name, embed: async (texts) => texts.map((text) => vectorOf(text)) };
}
