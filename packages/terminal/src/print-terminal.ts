import { printableText } from "./printable-text.ts";
import { processIo, type Io } from "./io.ts";
import { printError, styled, writeOutput, type Style } from "./print.ts";

/** A part of a line: text, or text with a style. */
export type Span = string | { readonly text: string; readonly style: Style };

type Line = readonly Span[];

/** Writes lines with styles to stdout, where it shows colors. Control and invisible characters in the texts are escaped. */
export function printStyled(io: Io, ...lines: readonly Line[]): void;
export function printStyled(...lines: readonly Line[]): void;
export function printStyled(...all: readonly (Io | Line)[]): void {
  const [first, ...others] = all;
  const [io, lines] = isIo(first) ? [first, others as Line[]] : [processIo(), all as Line[]];
  writeOutput(io, lines.map((line) => `${line.map((span) => renderSpan(io, span)).join("")}\n`).join(""));
}

/** Adds a colour to a line of a diff. */
export function styleDiffLine(text: string): Span {
  if (text.startsWith("+")) return { text, style: "green" };
  return text.startsWith("-") ? { text, style: "red" } : text;
}

/** Shows on stderr how far a command is: a terminal has one line, which changes. */
export function printProgress(text: string, isLast: boolean, io = processIo()): void {
  if (io.stderr.isTTY !== true) printError(io, text);
  else io.stderr.write(`\r\u001B[K${printableText(text, Infinity)}${isLast ? "\n" : ""}`);
}

/** Removes the line of `printProgress` from a terminal. */
export function clearProgress(io = processIo()): void {
  if (io.stderr.isTTY === true) io.stderr.write("\r\u001B[K");
}

function isIo(value: Io | Line | undefined): value is Io {
  return value !== undefined && !Array.isArray(value);
}

function renderSpan(io: Io, span: Span): string {
  if (typeof span === "string") return printableText(span, Infinity);
  return styled(io, io.stdout, [span.style, printableText(span.text, Infinity)]);
}
