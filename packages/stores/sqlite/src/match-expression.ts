/** Words as an FTS5 expression. Each word is quoted, so that none is an operator. */
export function matchExpression(words: readonly string[], match: "all" | "any"): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(match === "all" ? " AND " : " OR ");
}
