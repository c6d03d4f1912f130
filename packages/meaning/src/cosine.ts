/** The cosine of two unit vectors of the same length: 1 for the same direction, 0 where the texts have nothing in common. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
