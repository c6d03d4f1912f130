/** Pseudo-random numbers from 0 up to 1 by mulberry32, which uses integer arithmetic alone: the same seed gives the same numbers on every machine. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Some of the texts, in an order that the seed decides. */
export function sample(texts: readonly string[], count: number, seed: number): readonly string[] {
  const random = createRandom(seed);
  const keyed = texts.map((text) => [random(), text] as const);
  return keyed
    .toSorted(([one], [other]) => one - other)
    .slice(0, count)
    .map(([, text]) => text);
}
