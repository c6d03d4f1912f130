const maxLength = 300;

/**
 * Text from a file that may be hostile, for a terminal, a log line or a model: characters that move the cursor, break the line or cannot be
 * seen are written as `\u{…}`, and a long text is cut.
 */
export function printableText(text: string, length = maxLength): string {
  const escaped = text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return escaped.length > length ? `${escaped.slice(0, length)}… (${escaped.length} characters)` : escaped;
}
