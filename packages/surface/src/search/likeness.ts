/** How alike two texts look, letter by letter: the share of their trigrams that both have, 0 to 1. */
export function likeness(one: string, other: string): number {
  const first = trigrams(one);
  const second = trigrams(other);
  let both = 0;
  for (const trigram of first) if (second.has(trigram)) both += 1;
  return (2 * both) / Math.max(1, first.size + second.size);
}

/** A text's trigrams with its ends marked; the ends survive a slip in the middle of a short word. */
export function trigrams(text: string): ReadonlySet<string> {
  const padded = `  ${text}  `;
  const all = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) all.add(padded.slice(at, at + 3));
  return all;
}
