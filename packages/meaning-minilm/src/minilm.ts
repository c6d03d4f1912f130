import path from "node:path";
import type { TextEmbedder } from "@toolpacks/meaning";
import { createModelThread } from "./model-thread.ts";
import { openVectorFile } from "./vector-file.ts";

export interface MinilmOptions {
  /** Folder where vectors are kept, by the hash of their text. Default: they are not kept. */
  readonly folder?: string | undefined;
}

const dimensions = 384;
/** Number of texts after which their vectors are kept. */
const textsPerPart = 32;

/**
 * The model all-MiniLM-L6-v2, in a thread of this process. It is loaded at the first text, in about half a second, and takes about 240 MB of memory. A text
 * takes about 30 ms of one core.
 */
export function minilm({ folder }: MinilmOptions = {}): TextEmbedder & { readonly isSlow: true } {
  const run = createModelThread();
  const kept = folder === undefined ? undefined : openVectorFile(path.join(folder, "minilm-l6-v2.vectors"), dimensions);
  return {
    name: "all-MiniLM-L6-v2",
    isSlow: true,
    async embed(texts) {
      const vectors = await Promise.all(texts.map(async (text) => kept?.get(text)));
      const missing = texts.flatMap((text, at) => (vectors[at] === undefined ? [{ text, at }] : []));
      for (let from = 0; from < missing.length; from += textsPerPart) {
        const part = missing.slice(from, from + textsPerPart);
        const partTexts = part.map(({ text }) => text);
        const made = await run(partTexts);
        for (const [place, { at }] of part.entries()) vectors[at] = made[place];
        await kept?.add(partTexts, made);
      }
      return vectors.map((vector) => vector ?? new Float32Array(dimensions));
    },
  };
}
