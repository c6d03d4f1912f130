import { findForm } from "./base-forms.ts";

/**
 * A table of word vectors whose values are −3, −1, 1 or 3 times a scale of the word.
 *
 * File: the number of words and of dimensions (32-bit unsigned, little-endian like all numbers), the scale of each word (32-bit float), the values of each
 * word (2 bits each, the first value in the lowest bits: 0 for −3, 1 for −1, 2 for 1, 3 for 3), and the words, separated by line feeds.
 */
export interface WordTable {
  readonly dimensions: number;
  readonly scales: Float32Array;
  /** Four values a byte. */
  readonly values: Uint8Array;
  /** The place in the table of a word, or of its base form if the word is not there. */
  find(word: string): number | undefined;
}

const headerBytes = 8;
const valuesPerByte = 4;

/** @throws Error for bytes that are no table */
export function readTable(bytes: Uint8Array): WordTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [count, dimensions] = bytes.length < headerBytes ? [0, 0] : [view.getUint32(0, true), view.getUint32(4, true)];
  const valuesStart = headerBytes + count * 4;
  const wordsStart = valuesStart + (count * dimensions) / valuesPerByte;
  if (count === 0 || dimensions % valuesPerByte !== 0 || wordsStart > bytes.length) throw damaged();
  const words = new TextDecoder().decode(bytes.subarray(wordsStart)).split("\n");
  if (words.length !== count) throw damaged();
  const places = new Map(words.map((word, at) => [word, at]));
  return {
    dimensions,
    scales: Float32Array.from({ length: count }, (_, at) => view.getFloat32(headerBytes + at * 4, true)),
    values: bytes.subarray(valuesStart, wordsStart),
    find: (word) => findForm(word, places),
  };
}

function damaged(): Error {
  return new Error("the table of word vectors is damaged; install the package again");
}

export interface WordVector {
  readonly word: string;
  readonly scale: number;
  /** −3, −1, 1 or 3 for each dimension. */
  readonly values: ArrayLike<number>;
}

/** Writes a table as a file. */
export function writeTable(words: readonly WordVector[], dimensions: number): Uint8Array {
  const text = new TextEncoder().encode(words.map(({ word }) => word).join("\n"));
  const valuesStart = headerBytes + words.length * 4;
  const bytesPerWord = dimensions / valuesPerByte;
  const bytes = new Uint8Array(valuesStart + words.length * bytesPerWord + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, words.length, true);
  view.setUint32(4, dimensions, true);
  for (const [at, { scale, values }] of words.entries()) {
    view.setFloat32(headerBytes + at * 4, scale, true);
    for (let dimension = 0; dimension < dimensions; dimension += 1) {
      const code = ((values[dimension] ?? 0) + 3) / 2;
      const place = valuesStart + at * bytesPerWord + Math.floor(dimension / valuesPerByte);
      bytes[place] = (bytes[place] ?? 0) | (code << (2 * (dimension % valuesPerByte)));
    }
  }
  bytes.set(text, bytes.length - text.length);
  return bytes;
}

/** Adds the vector of a word to a sum. */
export function addWord({ dimensions, scales, values }: WordTable, at: number, sum: Float64Array): void {
  const scale = scales[at] ?? 0;
  const start = (at * dimensions) / valuesPerByte;
  // Four values at a time take half the time of one.
  for (let first = 0; first < dimensions; first += valuesPerByte) {
    const codes = values[start + (first >> 2)] ?? 0;
    sum[first] = (sum[first] ?? 0) + (2 * (codes & 3) - 3) * scale;
    sum[first + 1] = (sum[first + 1] ?? 0) + (2 * ((codes >> 2) & 3) - 3) * scale;
    sum[first + 2] = (sum[first + 2] ?? 0) + (2 * ((codes >> 4) & 3) - 3) * scale;
    sum[first + 3] = (sum[first + 3] ?? 0) + (2 * (codes >> 6) - 3) * scale;
  }
}

/** The length of a word's values, without their scale: 36.5 ± 1.3. */
const meanLength = 36.5;

/**
 * The products of a vector with the directions of words, within some 4 %. Works on the packed values, two at a time: decoding them takes as long as all else.
 *
 * @param vector of the table's length
 */
export function productsWith(vector: ArrayLike<number>, { dimensions, values }: WordTable): (at: number) => number {
  /** For each pair of dimensions, what it adds for each of the 16 pairs of values. */
  const added = new Float64Array(dimensions * 8);
  for (let dimension = 0; dimension < dimensions; dimension += 1)
    for (let pair = 0; pair < 16; pair += 1) {
      const place = (dimension >> 1) * 16 + pair;
      const value = 2 * ((pair >> (2 * (dimension & 1))) & 3) - 3;
      added[place] = (added[place] ?? 0) + value * (vector[dimension] ?? 0);
    }
  return (at) => {
    const start = (at * dimensions) / valuesPerByte;
    let product = 0;
    for (let byte = 0; byte < dimensions / valuesPerByte; byte += 1) {
      const four = values[start + byte] ?? 0;
      product += (added[byte * 32 + (four & 15)] ?? 0) + (added[byte * 32 + 16 + (four >> 4)] ?? 0);
    }
    return product / meanLength;
  };
}
