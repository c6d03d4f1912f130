import { textWords } from "@toolpacks/store";

const maxLength = 300;
const step = maxLength / 3;

/** The form of a text in a list: the whole text if it is short, otherwise the passage with the most wanted words. */
export function excerpt(text: string, wanted: ReadonlySet<string>): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  if (line.length <= maxLength) return line;
  let best = { from: 0, last: 0, hits: -1 };
  for (let from = 0; from < Math.min(line.length, 200_000); from += step) {
    const words = new Set(textWords(line.slice(from, from + maxLength)));
    const hits = [...wanted].filter((word) => words.has(word)).length;
    if (hits > best.hits) best = { from, last: from, hits };
    else if (hits === best.hits && from === best.last + step) best.last = from;
    else if (best.hits === wanted.size) break;
  }
  // The middle of the best passages, so that the words have context on both sides.
  const start = Math.floor((best.from + best.last) / 2);
  const passage = line.slice(start, start + maxLength).toWellFormed();
  return `${start > 0 ? "…" : ""}${passage}${start + maxLength < line.length ? "…" : ""}`;
}
