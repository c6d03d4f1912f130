const maxLength = 300;

/** Characters that move the cursor, cannot be seen, or change the order of others, as `\u{…}`. Line breaks and tabs stay. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

/** Text from a file that may be hostile, on one line, for a terminal, a log line or a model. A long text is cut, with its length. */
export function printableText(text: string, length = maxLength): string {
  const line = escapeControls(text).replaceAll(/[\n\t]/g, escaped);
  return line.length > length ? `${line.slice(0, length)}… (${line.length} characters)` : line;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
