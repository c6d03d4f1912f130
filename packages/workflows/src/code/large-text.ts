/** Maximum characters of a text that a script gets at once. */
const maxText = 16_000_000;
/** Characters of a piece in which a script searches. */
const pieceLength = 250_000;

/**
 * Reads a large result for a script.
 *
 * @param json `[handle]` for the whole text, or `[handle, from]` for whole lines from an offset on
 * @returns the text, or JSON of `{text, next}`: the lines, and the offset of what follows, or null
 * @throws Error for a text that is too long
 */
export function readLarge(texts: ReadonlyMap<string, string>, json: string): string {
  const [handle, from] = JSON.parse(json) as readonly [handle: string, from?: number];
  const text = texts.get(handle) ?? "";
  if (from !== undefined) return JSON.stringify(pieceOf(text, from));
  if (text.length <= maxText) return text;
  throw new Error(`it has ${text.length} characters, more than ${maxText}; use lines or grep`);
}

/** A line that is longer than a piece is cut. */
function pieceOf(text: string, from: number): { readonly text: string; readonly next: number | null } {
  const end = from + pieceLength;
  if (end >= text.length) return { text: text.slice(from), next: null };
  const cut = text.lastIndexOf("\n", end);
  return cut > from ? { text: text.slice(from, cut), next: cut + 1 } : { text: text.slice(from, end), next: end };
}
