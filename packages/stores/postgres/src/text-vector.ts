import type { TextWords } from "@toolpacks/core/store";

/** PostgreSQL keeps no position beyond this. */
const lastPosition = 16_383;

/** Words as a literal of type tsvector, which no parser or dictionary changes. Those of the first field weigh most. */
export function textVector({ first, rest }: TextWords): string {
  const all = [...first.map((word) => [word, "A"] as const), ...rest.map((word) => [word, "D"] as const)];
  return all.map(([word, weight], at) => `${quote(word)}:${Math.min(at + 1, lastPosition)}${weight}`).join(" ");
}

/** Words as a literal of type tsquery. Each is quoted, so that none is an operator. */
export function textQuery(words: readonly string[], match: "all" | "any"): string {
  return words.map(quote).join(match === "all" ? " & " : " | ");
}

function quote(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
