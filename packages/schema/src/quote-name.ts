/** Control, format and other invisible characters, line breaks, and lone surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const eachInvisible = new RegExp(invisible, "gu");

/** The lines that end a list or stand for an empty one, numbered lines, lines that name a definition, and a quotation mark, which begins a quoted name. */
const ambiguous = /^(?:"|\(\d+ |next: cursor |skipped |Only |none$|in |at top level$|[1-9]\d*(?:-\d+)?[:-]? |\s)|\s$/;

/**
 * Renders a file's name or path for a model or a terminal. A name that could be misread is quoted as a JSON string with `\u` escapes, as a caller
 * writes it in arguments. All other names are unchanged.
 */
export function quoteName(name: string): string {
  return invisible.test(name) || ambiguous.test(name) ? visibleJson(name) : name;
}

/** The first `max` characters of a text, without half of a pair. A cut text ends with `…`. */
export function clip(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

/** Renders a value as JSON on one line without invisible characters. */
export function visibleJson(value: unknown): string {
  // JSON.stringify escapes only control characters up to U+001F and lone surrogates.
  return visibleText(JSON.stringify(value));
}

/** Renders a text on one line, with `\u` escapes for invisible characters and line breaks. */
export function visibleText(text: string): string {
  return text.replaceAll(eachInvisible, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
