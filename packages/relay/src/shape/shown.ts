import { visibleText } from "@toolpacks/core";

/** A part of an untrusted text on one line, without invisible characters, cut to a length. */
export function shown(text: string, maxCharacters: number): string {
  const line = visibleText(text.slice(0, 2 * maxCharacters).toWellFormed()).trim();
  return text.length <= maxCharacters && line.length <= maxCharacters ? line : `${cut(line, maxCharacters)}…`;
}

/** A text as JSON, cut to a length before it is quoted. */
export function shownJson(text: string, maxCharacters: number): string {
  const start = text.length > maxCharacters ? `${cut(text, maxCharacters)}…` : text;
  return visibleText(JSON.stringify(start.toWellFormed()));
}

function cut(line: string, maxCharacters: number): string {
  return line
    .slice(0, maxCharacters)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd();
}

/** Whether a text surely has at most this many o200k tokens, also if it is made of names, numbers and signs. */
export function fits(text: string, maxTokens: number): boolean {
  return text.length <= maxTokens * maxCharactersPerToken && denseTokens(text) <= maxTokens;
}

const maxCharactersPerToken = 4;
const piece = /[A-Z]?[a-z]+|[A-Z]+|\d{1,3}|[^\S\n](?=\d)|\n|_|[!-/:-@[-^`{-~]+|[^ -~]/g;

/** Estimates the tokens of short dense texts: `estimateTokens` is for sentences and schemas. */
function denseTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(piece)) tokens += pieceTokens(part);
  return tokens;
}

function pieceTokens(part: string): number {
  const { length } = part;
  if (/[a-z]/.test(part)) return length <= 6 ? 1 : length <= 11 ? 1.4 : length / 2.3;
  if (/[A-Z]/.test(part)) return Math.max(1, length / 2);
  return /[!-/:-@[-^`{-~]/.test(part) && length > 2 ? 0.65 * length : part > "~" ? 1.2 : 1;
}
