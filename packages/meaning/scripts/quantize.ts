/** Rounds of making the scale and the values the best for each other. */
const rounds = 6;

/** The nearest vector whose values are −3, −1, 1 or 3 times a scale, in the sense of least squares. */
export function quantize(vector: Float32Array): { readonly scale: number; readonly values: Int8Array } {
  const values = new Int8Array(vector.length);
  let scale = Math.hypot(...vector) / Math.sqrt(vector.length) / 2;
  for (let round = 0; round < rounds; round += 1) {
    let [along, squares] = [0, 0];
    for (const [at, value] of vector.entries()) {
      const level = (value < 0 ? -1 : 1) * (Math.abs(value) > 2 * scale ? 3 : 1);
      values[at] = level;
      along += level * value;
      squares += level * level;
    }
    scale = along / squares;
  }
  return { scale, values };
}
