const maxLength = 300;

/** Control, format and other invisible characters, and line ends. Those that change the order of others, and halves of pairs, are among them; the selectors of emoji are not. */
const invisible = /(?!\uFE0E|\uFE0F)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters that move the cursor, cannot be seen, or change the order of others, as `\u{…}`. Line breaks and tabs stay. */
export function escapeControls(text: string): string {
  return text.replaceAll(invisible, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

/** Text from a file that may be hostile, on one line, for a terminal, a log line or a model. A long text is cut, with its length. */
export function printableText(text: string, length = maxLength): string {
  const line = escapeControls(text).replaceAll(/[\n\t]/g, escaped);
  return line.length > length ? `${line.slice(0, length)}… (${line.length} characters)` : line;
}

/** JSON in which nothing is invisible: its strings have `\u` escapes instead. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(invisible, (character) =>
    character === "\n"
      ? character
      : Array.from({ length: character.length }, (_, at) => escapedUnit(character.charCodeAt(at))).join(""),
  );
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function escapedUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
