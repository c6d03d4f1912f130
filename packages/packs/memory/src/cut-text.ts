/** The beginning of a text, on one line. */
export function cutText(text: string, longest: number): string {
  const line = text
    .slice(0, longest * 2)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > longest || text.length > longest * 2 ? `${line.slice(0, longest).toWellFormed()}…` : line;
}
