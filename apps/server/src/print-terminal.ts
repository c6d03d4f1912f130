import { styleText } from "node:util";
import { printableText, writeStdout } from "@toolpacks/terminal";
import { printError } from "./print.ts";

/** A part of a line: text, or text with a style. */
export type Span = string | { readonly text: string; readonly style: Parameters<typeof styleText>[0] };

/**
 * Writes lines with styles to stdout. A terminal shows the styles, unless `NO_COLOR` is set. `FORCE_COLOR` shows them anywhere. Control and invisible
 * characters in the texts are escaped.
 */
export function printStyled(...lines: readonly (readonly Span[])[]): void {
  writeStdout(lines.map((line) => `${line.map(renderSpan).join("")}\n`).join(""));
}

/** Shows on stderr how far a command is: a terminal has one line, which changes. */
export function printProgress(text: string, isLast: boolean): void {
  if (!process.stderr.isTTY) printError(text);
  else process.stderr.write(`\r\u001B[K${printableText(text, Infinity)}${isLast ? "\n" : ""}`);
}

/** Removes the line of `printProgress` from a terminal. */
export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
}

/** Clears the terminal. */
export function clearTerminal(): void {
  writeStdout("\u001B[2J\u001B[H");
}

function renderSpan(span: Span): string {
  if (typeof span === "string") return printableText(span, Infinity);
  return styleText(span.style, printableText(span.text, Infinity), { stream: process.stdout });
}
