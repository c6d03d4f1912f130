const maxLength = 300;

/** Invisible characters: control and format characters, line breaks, lone surrogates, and characters that reorder text. Emoji selectors are allowed. */
const invisible = /(?!\uFE0E|\uFE0F)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes invisible characters as `\u{…}`. Line breaks and tabs are kept. */
export function escapeControls(text: string): string {
  return text.replaceAll(invisible, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

/** Renders untrusted text on one line for a terminal, a log or a model. A long text is cut and its length is added. */
export function printableText(text: string, length = maxLength): string {
  const line = escapeControls(text).replaceAll(/[\n\t]/g, escaped);
  return line.length > length ? `${line.slice(0, length)}… (${line.length} characters)` : line;
}

/** Renders a value as JSON with `\u` escapes for invisible characters. */
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
