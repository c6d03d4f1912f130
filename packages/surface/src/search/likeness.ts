/** The similarity of two texts: the share of their trigrams that both have, 0 to 1. */
export function likeness(one: string, other: string): number {
  const first = trigrams(one);
  const second = trigrams(other);
  let both = 0;
  for (const trigram of first) if (second.has(trigram)) both += 1;
  return (2 * both) / Math.max(1, first.size + second.size);
}

/** The trigrams of a text, padded at both ends. A typo in the middle of a short word leaves the end trigrams intact. */
export function trigrams(text: string): ReadonlySet<string> {
  const padded = `  ${text}  `;
  const all = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) all.add(padded.slice(at, at + 3));
  return all;
}
