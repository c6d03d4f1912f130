import type { styleText } from "node:util";
import { printableJson, printableText, writeStdout } from "@toolpacks/terminal";

type Style = Parameters<typeof styleText>[0];

/** A part of a line that is shown in a style. */
export interface StyledText {
  readonly style: Style;
  readonly text: string;
}

/** The parts of a line, one after another. */
export type StyledLine = readonly (string | StyledText)[];

/** Gives a text the codes of a style, or returns the text unchanged. */
export type Paint = (style: Style, text: string) => string;

/**
 * Writes lines to stdout. Control and invisible characters in a line are escaped, line breaks too: no value can fake a line or hide text.
 * The command writes by the functions of this file.
 */
export function print(...lines: readonly string[]): void {
  writeStdout(lines.map((line) => `${oneLine(line)}\n`).join(""));
}

/** The same on stderr. */
export function printError(...lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${oneLine(line)}\n`).join(""));
}

/** The same as `print`, with styles that no value can set. */
export function printStyled(lines: readonly StyledLine[], paint: Paint): void {
  const rendered = lines.map((parts) =>
    parts.map((part) => (typeof part === "string" ? oneLine(part) : paint(part.style, oneLine(part.text)))).join(""),
  );
  writeStdout(rendered.map((line) => `${line}\n`).join(""));
}

/** Writes a value as JSON to stdout. */
export function printJson(value: unknown): void {
  writeStdout(`${printableJson(value, 2)}\n`);
}

function oneLine(text: string): string {
  return printableText(text, Infinity);
}
