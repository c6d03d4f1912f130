import { createHash } from "node:crypto";
import type { FieldPath, RecordData } from "@toolpacks/core";
import { textAt } from "./text-words.ts";

/** Makes the vectors of texts, which tell how similar texts are in meaning. */
export interface TextEmbedder {
  /** Identifies the vectors. Vectors of another name cannot be compared with them. */
  readonly name: string;
  /** Whether a text takes milliseconds. The vectors of records are then made in the background, not in the write. Default false. */
  readonly isSlow?: boolean | undefined;
  /** The vectors of texts, 384 numbers each, in the order of the texts. Zeros: no word is known. Rejects if it cannot make them. */
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
}

const dimensions = 384;
/** The rest of a longer text has no part in its meaning. */
const maxCharacters = 10_000;

/** The text whose vector a record has. */
export function meaningText(data: RecordData, fields: readonly FieldPath[]): string {
  const text = fields.map((path) => textAt(data, path)).join("\n");
  return text.slice(0, maxCharacters);
}

/** The signs of the texts' vectors, a bit for each number. `none` for a vector of zeros. */
export async function embedSigns(
  { name, embed }: TextEmbedder,
  texts: readonly string[],
): Promise<readonly (Uint8Array | "none")[]> {
  const vectors = await embed(texts);
  return texts.map((_, at) => {
    const vector = vectors[at];
    if (vector?.length !== dimensions) throw new Error(`${name} must make vectors of ${dimensions} numbers`);
    return vector.every((value) => value === 0) ? "none" : signsOf(vector);
  });
}

function signsOf(vector: Float32Array): Uint8Array {
  // The sign of a zero is random, but the same for the same vector. Otherwise vectors with many zeros, of short texts, would be near to one another.
  const { buffer, byteOffset, byteLength } = vector;
  const random = createHash("sha384")
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest();
  const signs = new Uint8Array(dimensions / 8);
  for (let at = 0; at < dimensions; at += 1) {
    const value = vector[at] ?? 0;
    const bit = 1 << (at & 7);
    if (value > 0 || (value === 0 && ((random[at >> 3] ?? 0) & bit) !== 0))
      signs[at >> 3] = (signs[at >> 3] ?? 0) | bit;
  }
  return signs;
}
