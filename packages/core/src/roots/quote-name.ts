/** Control, format and other invisible characters, line ends, and halves of surrogate pairs. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const eachInvisible = new RegExp(invisible, "gu");

/** The lines that end a list or stand for an empty one, numbered lines, and a quotation mark, which is how a quoted name begins. */
const ambiguous = /^(?:"|\(\d+ of |next: cursor |skipped |Only |none$|[1-9]\d*(?:-\d+)?[:-]? |\s)|\s$/;

/**
 * A file's name or path for text that a model or a terminal shows. A name that would show as something else is quoted as a JSON string with
 * `\u` escapes, which is also how it stands in a call's arguments. All others are shown as they are.
 */
export function quoteName(name: string): string {
  return invisible.test(name) || ambiguous.test(name) ? visibleJson(name) : name;
}

/** A value as JSON on one line, of which every character is visible. */
export function visibleJson(value: unknown): string {
  // JSON escapes control characters up to U+001F and halves of pairs only.
  return visibleText(JSON.stringify(value));
}

/** A text on one line, with `\u` escapes for its invisible characters and line breaks. */
export function visibleText(text: string): string {
  return text.replaceAll(eachInvisible, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
