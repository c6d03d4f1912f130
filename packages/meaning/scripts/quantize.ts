/** Rounds of making the scale and the values the best for each other. */
const rounds = 6;

/** The nearest vector whose values are −3, −1, 1 or 3 times a scale, in the sense of least squares. */
export function quantize(vector: Float32Array): { readonly scale: number; readonly values: Int8Array } {
  const squaresOf = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value * value, 0);
  const values = new Int8Array(vector.length);
  let scale = Math.sqrt(squaresOf(vector) / vector.length) / 2;
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, value] of vector.entries()) values[at] = Math.sign(value) * (Math.abs(value) > 2 * scale ? 3 : 1);
    scale = vector.reduce((sum, value, at) => sum + value * (values[at] ?? 0), 0) / squaresOf(values);
  }
  return { scale, values };
}
