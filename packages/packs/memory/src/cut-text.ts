import { maskText, visibleText } from "@toolpacks/core";

/** Cuts a text to `maxLength` characters and puts it on one line. */
export function cutText(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 2)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > maxLength || text.length > maxLength * 2 ? `${line.slice(0, maxLength).toWellFormed()}…` : line;
}

/** Escapes the invisible characters of a text, without its line breaks. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visibleText).join("\n");
}

/** Characters after the cut that are also checked for secrets. The beginning of a secret alone does not match a pattern. */
const maskLookahead = 200;

/** The beginning of a text, with its secrets masked and `…` at the cut. */
export function maskAndCut(text: string, maxLength: number): string {
  const masked = maskBeginning(text, maxLength);
  return masked.length > maxLength ? `${masked.slice(0, maxLength - 1).toWellFormed()}…` : masked;
}

/** A text with its secrets masked. Text that is far behind `maxLength` is left out before the masking. */
export function maskBeginning(text: string, maxLength: number): string {
  return maskText(storable(text.slice(0, maxLength + maskLookahead)));
}

/** Removes U+0000 and lone surrogates, which no store accepts in a text. */
function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
