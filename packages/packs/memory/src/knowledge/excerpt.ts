import { textWords } from "@toolpacks/core/store";

const longest = 300;

/** A text as a list shows it: whole where it is short, otherwise the passage with the most of the words that were asked for. */
export function excerpt(text: string, wanted: ReadonlySet<string>): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  if (line.length <= longest) return line;
  let best = { from: 0, hits: -1 };
  for (let from = 0; from < Math.min(line.length, 200_000); from += longest / 2) {
    const words = new Set(textWords(line.slice(from, from + longest)));
    const hits = [...wanted].filter((word) => words.has(word)).length;
    if (hits > best.hits) best = { from, hits };
    if (hits === wanted.size) break;
  }
  const passage = line.slice(best.from, best.from + longest).toWellFormed();
  return `${best.from > 0 ? "…" : ""}${passage}${best.from + longest < line.length ? "…" : ""}`;
}
