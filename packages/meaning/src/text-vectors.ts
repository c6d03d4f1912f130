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
): (sentences: readonly string[], texts: readonly string[]) => Promise<Float64Array> {
  let vectors = new Map<string, Float32Array>();
  /** The latest embedding of texts. The next one waits for it, so that no text is embedded twice. */
  let latest: Promise<unknown> = Promise.resolve();

  const embedMissing = async (texts: readonly string[]) => {
    const missing = [...new Set(texts)].filter((text) => !vectors.has(text));
    if (missing.length === 0) return;
    const made = await embed(missing);
    if (vectors.size > maxOtherVectors) {
      const wanted = new Set(texts);
      vectors = new Map([...vectors].filter(([text]) => wanted.has(text)));
    }
    for (const [at, text] of missing.entries()) vectors.set(text, made[at] ?? new Float32Array());
  };
  const vectorsOf = async (texts: readonly string[]) => {
    const turn = latest.catch(() => undefined).then(async () => embedMissing(texts));
    latest = turn;
    await turn;
    return texts.map((text) => vectors.get(text) ?? new Float32Array());
  };

  return async (sentences, texts) => {
    let others = await vectorsOf(texts);
    const asked = await embed(sentences);
    const isComparable = () => asked.every((one) => others.every(({ length }) => length === one.length));
    if (!isComparable()) {
      // The model behind an address may have been replaced by one with other vectors.
      vectors = new Map();
      others = await vectorsOf(texts);
      if (!isComparable()) throw new Error("the vectors of texts have different lengths");
    }
    return Float64Array.from(others, (other) => Math.max(...asked.map((one) => cosine(one, other))));
  };
}

/** The cosine of two unit vectors of the same length: 1 for the same direction, 0 where the texts have nothing in common. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
