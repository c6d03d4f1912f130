/** The first sentence without its full stop. Abbreviations such as `e.g.` do not end a sentence. */
export function firstSentence(text: string): string {
  const line = text.trim().split(/[\n\r\u2028\u2029]/, 1)[0] ?? "";
  const end = line.search(/(?<!\b(?:e\.g|i\.e|etc|vs))\.(?:\s|$)/i);
  return (end < 0 ? line : line.slice(0, end)).trim();
}
