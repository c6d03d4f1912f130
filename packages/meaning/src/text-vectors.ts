/** A text, or the parts of one. Parts count alike, long or short: the vector of the text is the direction of the sum of theirs. */
export type ComparedText = string | readonly string[];

/** Maximum number of vectors that are kept besides those of the latest texts. */
const maxOtherVectors = 20_000;

/**
 * Returns a function that compares sentences with texts, and keeps the vectors of the texts for the next sentences. It resolves to the cosine of each text
 * with the sentence that is most similar to it, and rejects if the texts cannot be embedded, or their vectors have several lengths.
 *
 * @param embed makes the unit vectors of texts, in their order
 */
export function createTextVectors(
  embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>,
): (sentences: readonly string[], texts: readonly ComparedText[]) => Promise<Float64Array> {
  let vectors = new Map<string, Float32Array>();
  let known: { readonly texts: readonly ComparedText[]; readonly vectors: readonly Float32Array[] } | undefined;
  /** The latest embedding of texts. The next one waits for it, so that no text is embedded twice. */
  let latest: Promise<unknown> = Promise.resolve();

  const embedMissing = async (texts: readonly ComparedText[]) => {
    const byKey = new Map(texts.map((text) => [keyOf(text), text]));
    const missing = [...byKey].filter(([key]) => !vectors.has(key));
    const made = missing.length === 0 ? [] : await embed(missing.flatMap(([, text]) => text));
    if (vectors.size > maxOtherVectors) vectors = new Map([...vectors].filter(([key]) => byKey.has(key)));
    let at = 0;
    for (const [key, text] of missing) vectors.set(key, directionOf(made.slice(at, (at += [text].flat().length))));
    return texts.map((text) => vectors.get(keyOf(text)) ?? new Float32Array());
  };
  const vectorsOf = async (texts: readonly ComparedText[]) => {
    if (known?.texts === texts) return known.vectors;
    const turn = latest.catch(() => undefined).then(async () => embedMissing(texts));
    latest = turn;
    known = { texts, vectors: await turn };
    return known.vectors;
  };

  return async (sentences, texts) => {
    let others = await vectorsOf(texts);
    const asked = await embed(sentences);
    const isComparable = () => asked.every((one) => others.every(({ length }) => length === one.length));
    if (!isComparable()) {
      // The model behind an address may have been replaced by one with other vectors.
      vectors = new Map();
      known = undefined;
      others = await vectorsOf(texts);
      if (!isComparable()) throw new Error("the vectors of texts have different lengths");
    }
    return Float64Array.from(others, (other) => Math.max(...asked.map((one) => cosine(one, other))));
  };
}

function keyOf(text: ComparedText): string {
  return typeof text === "string" ? text : text.join("\f");
}

/** The direction of the sum of unit vectors. */
function directionOf(parts: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = parts;
  if (others.length === 0) return first;
  const sum = Float32Array.from(first);
  for (const other of others) for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (other[at] ?? 0);
  const length = Math.sqrt(cosine(sum, sum)) || 1;
  return sum.map((value) => value / length);
}

/** The cosine of two unit vectors of the same length: 1 for the same direction, 0 where the texts have nothing in common. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
