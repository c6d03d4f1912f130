/**
 * Whether JSON from `JSON.stringify` contains U+0000 or a lone surrogate, which databases cannot store as text. `JSON.stringify` writes only these
 * as such escapes. After an even number of backslashes, the characters are plain text.
 */
export function holdsUnstorableText(json: string): boolean {
  return json.includes("\\u") && /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}
