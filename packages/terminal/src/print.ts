import { styleText } from "node:util";
import { escapeControls, printableJson, printableText } from "./printable-text.ts";
import { writeStdout } from "./stdout.ts";
import { hasColors, type Io, type Output } from "./io.ts";

/**
 * Writes lines to stdout. Control and invisible characters in a line are escaped, line breaks too: no value can fake a line or hide text.
 * Every command writes by the functions of this file.
 */
export function print(io: Io, ...lines: readonly string[]): void {
  writeOutput(io, lines.map(renderLine).join(""));
}

/** The same on stderr. */
export function printError(io: Io, ...lines: readonly string[]): void {
  writeError(io, lines.map(renderLine).join(""));
}

/** A part of a line: text, or text with a style. */
export type Span = string | { readonly text: string; readonly style: Style };

/** Writes lines with styles to stdout, where it shows colors. Control and invisible characters in the texts are escaped. */
export function printStyled(io: Io, ...lines: readonly (readonly Span[])[]): void {
  writeOutput(io, lines.map((line) => `${line.map((span) => renderSpan(io, span)).join("")}\n`).join(""));
}

/** Adds a colour to a line of a diff. */
export function styleDiffLine(text: string): Span {
  if (text.startsWith("+")) return { text, style: "green" };
  return text.startsWith("-") ? { text, style: "red" } : text;
}

/** Writes a value as JSON to stdout. */
export function printJson(io: Io, value: unknown, indent?: number): void {
  writeOutput(io, `${printableJson(value, indent)}\n`);
}

/** Writes a tool's answer to stdout: with control characters escaped on a terminal, unchanged to a pipe. */
export function printResult(io: Io, text: string): void {
  const shown = io.stdout.isTTY === true ? escapeControls(text) : text;
  writeOutput(io, shown.endsWith("\n") ? shown : `${shown}\n`);
}

/** Writes a text to stdout unchanged. Returns false when the caller should wait for `drain` before it writes more. */
export function writeOutput({ stdout }: Pick<Io, "stdout">, text: string): boolean {
  return writeStdout(text, stdout);
}

/** Writes a text to stderr. Escape sequences stay, line breaks too. */
export function writeError({ stderr }: Pick<Io, "stderr">, text: string): void {
  stderr.write(text);
}

/** A text with a style where an output shows colors. */
export function styled(io: Pick<Io, "env">, output: Output, [style, text]: StyledText): string {
  return text !== "" && hasColors(io, output) ? styleText(style, text, { validateStream: false }) : text;
}

export type Style = Parameters<typeof styleText>[0];

type StyledText = readonly [style: Style, text: string];

function renderLine(line: string): string {
  return `${printableText(line, Infinity)}\n`;
}

function renderSpan(io: Io, span: Span): string {
  if (typeof span === "string") return printableText(span, Infinity);
  return styled(io, io.stdout, [span.style, printableText(span.text, Infinity)]);
}
