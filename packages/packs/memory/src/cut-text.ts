import { visibleText } from "@toolpacks/core";

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
