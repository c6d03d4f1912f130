/** `$NAME`, which stands for one node, and `$$$NAME`, for any number. */
export const metavariable = /\$\$\$[A-Z_]?[A-Z0-9_]*|\$[A-Z_][A-Z0-9_]*/g;

export const patternHint =
  "A pattern is one whole piece of code, in which $NAME stands for one node and $$$ for any number: await $F($$$).";

/** The longest word that every match holds as it is: files without it need not be parsed. */
export function wordOf(pattern: string): string | undefined {
  const words = pattern.replaceAll(metavariable, " ").match(/[A-Za-z_][A-Za-z0-9_]+/g) ?? [];
  return words.toSorted((a, b) => b.length - a.length)[0];
}
