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
  const signs = new Uint8Array(dimensions / 8);
  let isPositive = false;
  for (const [at, value] of vector.entries()) {
    // A zero has the sign of the number before. Otherwise the vectors of short texts, which have many zeros, would be near to one another.
    if (value !== 0) isPositive = value > 0;
    if (isPositive) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return signs;
}
