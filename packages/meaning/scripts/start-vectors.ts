import { dimensions } from "./embed-texts.ts";
import type { TextMatrix } from "./fit-words.ts";

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
  const { words, starts, places, shares } = matrix;
  const counts = new Float64Array(words.length);
  for (const place of places) counts[place] = (counts[place] ?? 0) + 1;
  const weights = counts.map((count) => smoothing / (smoothing + count / places.length));
  const vectors = new Float32Array(words.length * dimensions);
  for (const [at, word] of words.entries())
    for (const [dimension, value] of single.get(word)?.entries() ?? [])
      vectors[at * dimensions + dimension] = value * (weights[at] ?? 0);
  let along = 0;
  let squares = 0;
  const mean = new Float64Array(dimensions);
  for (let text = 0; text + 1 < starts.length; text += 1) {
    mean.fill(0);
    for (let entry = starts[text] ?? 0; entry < (starts[text + 1] ?? 0); entry += 1) {
      const from = (places[entry] ?? 0) * dimensions;
      const share = shares[entry] ?? 0;
      for (let at = 0; at < dimensions; at += 1) mean[at] = (mean[at] ?? 0) + share * (vectors[from + at] ?? 0);
    }
    for (let at = 0; at < dimensions; at += 1) {
      along += (mean[at] ?? 0) * (targets[text * dimensions + at] ?? 0);
      squares += (mean[at] ?? 0) ** 2;
    }
  }
  const scale = squares === 0 ? 1 : along / squares;
  return vectors.map((value) => value * scale);
}
