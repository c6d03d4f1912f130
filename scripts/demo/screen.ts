import { stripVTControlCharacters, styleText } from "node:util";

// eslint-disable-next-line no-control-regex
const ansiCode = /(\u001B\[\d+m)/;

/** Width of the terminal in columns. Without a terminal: 80. */
const columns = Math.max(60, process.stdout.columns ?? 80);

/** Bold or coloured text. Plain when the output is no terminal, or with `NO_COLOR`. */
export function styled(format: "bold" | "dim" | "green" | "cyan" | "red", text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

/** Prints a line, cut to the width of the terminal. */
export function printLine(text = ""): void {
  console.log(stripVTControlCharacters(text).length <= columns ? text : `${cut(text, columns - 1)}…`);
}

/** The first characters of a text, with all of its colour codes, which have no width. */
function cut(text: string, width: number): string {
  let left = width;
  return text
    .split(ansiCode)
    .map((part) => {
      if (part.startsWith("\u001B")) return part;
      const shown = part.slice(0, left);
      left -= shown.length;
      return shown;
    })
    .join("");
}

export function printHeading(text: string): void {
  printLine();
  printLine(styled("bold", text));
}

/** Prints lines as they are, to be copied. */
export function printWhole(text: string, indent = "  "): void {
  console.log(text.replaceAll(/^/gm, indent));
}

/** Prints a text of several lines, each broken between words. */
export function printWrapped(text: string, indent = "  "): void {
  const width = columns - indent.length;
  for (const line of text.split("\n")) {
    let rest = line;
    while (rest.length > width) {
      const space = rest.lastIndexOf(" ", width);
      const end = space > width / 2 ? space : width;
      printLine(`${indent}${rest.slice(0, end)}`);
      rest = rest.slice(end).trimStart();
    }
    printLine(`${indent}${rest}`);
  }
}

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly note: string;
}

/** Prints values as bars of one scale. */
export function printBars(bars: readonly Bar[]): void {
  const width = columns - 50;
  const max = Math.max(...bars.map(({ value }) => value));
  for (const { label, value, note } of bars) {
    const length = Math.max(1, Math.round((value / max) * width));
    const shown = styled(value === max ? "red" : "green", "█".repeat(length)) + " ".repeat(width - length);
    printLine(`  ${label.padEnd(10)} ${shown} ${value.toLocaleString("en").padStart(7)}  ${styled("dim", note)}`);
  }
}
