/**
 * Whether what `JSON.stringify` wrote holds U+0000 or half a surrogate pair, which no database keeps as text. It escapes exactly these two so;
 * an even number of backslashes before one is text that looks like it.
 */
export function holdsUnstorableText(json: string): boolean {
  return json.includes("\\u") && /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}
