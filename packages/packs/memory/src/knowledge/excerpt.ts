import { textWords } from "@toolpacks/core/store";

const longest = 300;
const step = longest / 3;

/** A text as a list shows it: whole where it is short, otherwise the passage with the most of the words that were asked for. */
export function excerpt(text: string, wanted: ReadonlySet<string>): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  if (line.length <= longest) return line;
  let best = { from: 0, last: 0, hits: -1 };
  for (let from = 0; from < Math.min(line.length, 200_000); from += step) {
    const words = new Set(textWords(line.slice(from, from + longest)));
    const hits = [...wanted].filter((word) => words.has(word)).length;
    if (hits > best.hits) best = { from, last: from, hits };
    else if (hits === best.hits && from === best.last + step) best.last = from;
    else if (best.hits === wanted.size) break;
  }
  // In the middle of the passages that have them, so that what they are said with stands on both sides.
  const start = Math.floor((best.from + best.last) / 2);
  const passage = line.slice(start, start + longest).toWellFormed();
  return `${start > 0 ? "…" : ""}${passage}${start + longest < line.length ? "…" : ""}`;
}
