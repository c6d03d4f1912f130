import type { TextWords } from "@toolpacks/core/store";

/** Maximum position of a word in PostgreSQL. */
const lastPosition = 16_383;

/** Words as a tsvector literal, which bypasses PostgreSQL's parsers and dictionaries. Words of the first field have the highest weight. */
export function textVector({ first, rest }: TextWords): string {
  const all = [...first.map((word) => [word, "A"] as const), ...rest.map((word) => [word, "D"] as const)];
  return all.map(([word, weight], at) => `${quote(word)}:${Math.min(at + 1, lastPosition)}${weight}`).join(" ");
}

/** Words as a tsquery literal. Each word is quoted, so that none is an operator. */
export function textQuery(words: readonly string[], match: "all" | "any"): string {
  return words.map(quote).join(match === "all" ? " & " : " | ");
}

function quote(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
