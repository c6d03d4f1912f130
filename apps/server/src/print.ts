import { escapeControls, printableJson, printableText, writeStdout } from "@toolpacks/terminal";

/**
 * Writes lines to stdout. Control and invisible characters in a line are escaped, line breaks too: no value can fake a line or hide text.
 * Every command writes by the functions of this file and of `print-terminal.ts`.
 */
export function print(...lines: readonly string[]): void {
  writeStdout(lines.map(renderLine).join(""));
}

/** The same on stderr. */
export function printError(...lines: readonly string[]): void {
  process.stderr.write(lines.map(renderLine).join(""));
}

/** Writes a value as JSON to stdout. */
export function printJson(value: unknown, indent?: number): void {
  writeStdout(`${printableJson(value, indent)}\n`);
}

/** Writes a tool's answer to stdout: with control characters escaped on a terminal, unchanged to a pipe. */
export function printResult(text: string): void {
  const shown = process.stdout.isTTY ? escapeControls(text) : text;
  writeStdout(shown.endsWith("\n") ? shown : `${shown}\n`);
}

function renderLine(line: string): string {
  return `${oneLine(line)}\n`;
}

function oneLine(text: string): string {
  return printableText(text, Infinity);
}
