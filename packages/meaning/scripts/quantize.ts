/** The nearest vector whose values are −1, 0 or 1 times a scale, in the sense of least squares. */
export function quantize(vector: Float32Array): { readonly scale: number; readonly values: Int8Array } {
  const order = [...vector.keys()].toSorted(
    (one, other) => Math.abs(vector[other] ?? 0) - Math.abs(vector[one] ?? 0) || one - other,
  );
  // The best vector with n values takes the n largest ones; their mean is the scale.
  let sum = 0;
  let best = { kept: 0, gain: 0, scale: 0 };
  for (const [at, dimension] of order.entries()) {
    sum += Math.abs(vector[dimension] ?? 0);
    const kept = at + 1;
    const gain = (sum * sum) / kept;
    if (gain > best.gain) best = { kept, gain, scale: sum / kept };
  }
  const values = new Int8Array(vector.length);
  for (const dimension of order.slice(0, best.kept)) values[dimension] = Math.sign(vector[dimension] ?? 0);
  return { scale: best.scale, values };
}
