/** Matches `$NAME`, which stands for one node, and `$$$NAME`, which stands for any number of nodes. */
export const metavariable = /\$\$\$[A-Z_]?[A-Z0-9_]*|\$[A-Z_][A-Z0-9_]*/g;

export const patternHint =
  "A pattern is one whole piece of code, in which $NAME stands for one node and $$$ for any number: await $F($$$).";

/** The longest word that every match contains. Files without this word need not be parsed. */
export function wordOf(pattern: string): string | undefined {
  const words = pattern.replaceAll(metavariable, " ").match(/[A-Za-z_][A-Za-z0-9_]+/g) ?? [];
  return words.toSorted((a, b) => b.length - a.length)[0];
}
