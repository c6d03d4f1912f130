import { escapeControls, printableJson, printableText } from "@toolpacks/core/terminal";

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

/** Ends the process when stdout cannot be written. Only a reader that closes the pipe early, as `head` does, is no failure. */
export function exitWithStdout(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    const cause = error.code === "ENOSPC" ? "the disk is full" : error.message;
    printError(`toolpacks: unavailable: the output cannot be written: ${cause}`);
    process.exit(1);
  });
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

function renderLine(line: string): string {
  return `${oneLine(line)}\n`;
}

function oneLine(text: string): string {
  return printableText(text, Infinity);
}
