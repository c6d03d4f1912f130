/** An FTS5 expression for words. Each is quoted, so that none is an operator. */
export function matchExpression(words: readonly string[], match: "all" | "any"): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(match === "all" ? " AND " : " OR ");
}
