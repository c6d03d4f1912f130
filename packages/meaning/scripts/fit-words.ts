import { findForm } from "../src/base-forms.ts";
import { wordsOf } from "../src/meaning.ts";
import { cosine as dot } from "../src/text-vectors.ts";
import { dimensions } from "./embed-texts.ts";

/** Texts as rows of a sparse matrix: the share of each word in its text, n^-0.75 if it has n words. So long texts count more than with means. */
export interface TextMatrix {
  readonly words: readonly string[];
  /** Where the entries of each text begin; one number more than texts. */
  readonly starts: Int32Array;
  readonly places: Int32Array;
  readonly shares: Float32Array;
}

/** Texts as rows over words. A word that is not among them counts as its base form. */
export function textMatrix(texts: readonly string[], words: readonly string[]): TextMatrix {
  const placeOf = new Map(words.map((word, at) => [word, at]));
  const starts = new Int32Array(texts.length + 1);
  const places: number[] = [];
  const shares: number[] = [];
  for (const [at, text] of texts.entries()) {
    const known = wordsOf(text).flatMap((word) => findForm(word, placeOf) ?? []);
    for (const place of known) {
      places.push(place);
      shares.push(known.length ** -0.75);
    }
    starts[at + 1] = places.length;
  }
  return { words, starts, places: Int32Array.from(places), shares: Float32Array.from(shares) };
}

/** How strongly the vectors are held at their start. The similarity to the model's vectors is flat around this number and the next one. */
const ridge = 1;
/** Steps of the conjugate gradient. */
const steps = 50;

/**
 * Moves the vectors of words so that the weighted sum of a text's words is near the vector of the text: ridge regression towards the start, solved by
 * conjugate gradient for all dimensions at once.
 *
 * @param targets one row for each text
 * @param vectors one row for each word: the start, which is changed in place
 */
export function fitWords(matrix: TextMatrix, targets: Float32Array, vectors: Float32Array): void {
  const errors = multiply(matrix, vectors);
  for (let at = 0; at < errors.length; at += 1) errors[at] = (targets[at] ?? 0) - (errors[at] ?? 0);
  const residual = multiply(matrix, errors, true);
  const direction = residual.slice();
  let squares = dot(residual, residual);
  for (let step = 1; step <= steps && squares > 0; step += 1) {
    const product = multiply(matrix, multiply(matrix, direction), true);
    for (let at = 0; at < product.length; at += 1) product[at] = (product[at] ?? 0) + ridge * (direction[at] ?? 0);
    const length = squares / dot(direction, product);
    for (let at = 0; at < vectors.length; at += 1) {
      vectors[at] = (vectors[at] ?? 0) + length * (direction[at] ?? 0);
      residual[at] = (residual[at] ?? 0) - length * (product[at] ?? 0);
    }
    const next = dot(residual, residual);
    const keep = next / squares;
    for (let at = 0; at < direction.length; at += 1) direction[at] = (residual[at] ?? 0) + keep * (direction[at] ?? 0);
    squares = next;
    console.log(`step ${step}: ${squares.toFixed(3)}`);
  }
}

/** The weighted sum of the words' rows for each text; or, transposed, of the texts' rows for each word. */
export function multiply(matrix: TextMatrix, rows: Float32Array, isTransposed = false): Float32Array {
  const { words, starts, places, shares } = matrix;
  const out = new Float32Array((isTransposed ? words.length : starts.length - 1) * dimensions);
  for (let text = 0; text + 1 < starts.length; text += 1)
    for (let entry = starts[text] ?? 0; entry < (starts[text + 1] ?? 0); entry += 1) {
      const share = shares[entry] ?? 0;
      const [one, other] = [(places[entry] ?? 0) * dimensions, text * dimensions];
      const [from, to] = isTransposed ? [other, one] : [one, other];
      for (let at = 0; at < dimensions; at += 1) out[to + at] = (out[to + at] ?? 0) + share * (rows[from + at] ?? 0);
    }
  return out;
}
