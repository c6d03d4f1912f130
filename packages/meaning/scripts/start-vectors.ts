import { cosine as dot } from "../src/text-vectors.ts";
import { dimensions } from "./embed-texts.ts";
import { multiply, type TextMatrix } from "./fit-words.ts";

/** Smooth inverse frequency: how fast frequent words lose weight. See https://openreview.net/forum?id=SyK00v5xx */
const smoothing = 3e-3;

/**
 * The vectors of single words, weighted by rarity, and scaled so that the means of texts have the length of the texts' vectors. A word that is not in
 * `single` starts at zero.
 */
export function startVectors(
  matrix: TextMatrix,
  single: ReadonlyMap<string, Float32Array>,
  targets: Float32Array,
): Float32Array {
  const { words, places } = matrix;
  const counts = new Float64Array(words.length);
  for (const place of places) counts[place] = (counts[place] ?? 0) + 1;
  const weights = counts.map((count) => smoothing / (smoothing + count / places.length));
  const vectors = new Float32Array(words.length * dimensions);
  for (const [at, word] of words.entries())
    for (const [dimension, value] of single.get(word)?.entries() ?? [])
      vectors[at * dimensions + dimension] = value * (weights[at] ?? 0);
  const means = multiply(matrix, vectors);
  const scale = dot(means, targets) / (dot(means, means) || 1);
  return vectors.map((value) => value * scale);
}
