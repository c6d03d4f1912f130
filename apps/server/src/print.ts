import type { styleText } from "node:util";
import { escapeControls, printableJson, printableText } from "./printable-text.ts";

type Style = Parameters<typeof styleText>[0];

/** A part of a line that is shown in a style. */
export interface StyledText {
  readonly style: Style;
  readonly text: string;
}

/** The parts of a line, one after another. */
export type StyledLine = readonly (string | StyledText)[];

/** Gives a text the codes of a style, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

/**
 * Writes lines to stdout. Control and invisible characters in a line are escaped, line breaks too: no value can fake a line or hide text.
 * Every command writes by the functions of this file.
 */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map(renderLine).join(""));
}

/** The same on stderr. */
export function printError(...lines: readonly string[]): void {
  process.stderr.write(lines.map(renderLine).join(""));
}

/** The same as `print`, with styles that no value can set. */
export function printStyled(lines: readonly StyledLine[], paint: Paint): void {
  const rendered = lines.map((parts) =>
    parts.map((part) => (typeof part === "string" ? oneLine(part) : paint(part.style, oneLine(part.text)))).join(""),
  );
  process.stdout.write(rendered.map((line) => `${line}\n`).join(""));
}

/** Shows on stderr how far a command is: a terminal has one line, which changes. */
export function printProgress(text: string, isLast: boolean): void {
  if (!process.stderr.isTTY) printError(text);
  else process.stderr.write(`\r${oneLine(text)}${isLast ? "\n" : ""}`);
}

/** Empties the terminal, for what is shown anew. */
export function clearTerminal(): void {
  process.stdout.write("\u001B[2J\u001B[H");
}

/** Writes a value as JSON to stdout. */
export function printJson(value: unknown, indent?: number): void {
  process.stdout.write(`${printableJson(value, indent)}\n`);
}

/** Writes what a tool answered to stdout. A terminal gets it with control characters escaped; a pipe gets it as it is. */
export function printResult(text: string): void {
  const shown = process.stdout.isTTY ? escapeControls(text) : text;
  process.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`);
}

/** Lines of an error with its stack. All but the first are indented, so that a message cannot fake a line of its own. */
export function stackLines(error: unknown): readonly string[] {
  const [first = "", ...others] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split("\n");
  return [first, ...others.map((line) => `    ${line.trim()}`)];
}

function renderLine(line: string): string {
  return `${oneLine(line)}\n`;
}

function oneLine(text: string): string {
  return printableText(text, Infinity);
}
