/** The maximum length of one text, so that texts of these lengths fit together. Short texts leave room for longer ones. */
export function fairShare(lengths: readonly number[], maxLength: number): number {
  let left = maxLength;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of sorted.entries()) {
    const share = left / (sorted.length - at);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Infinity;
}
