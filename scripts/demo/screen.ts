import { stripVTControlCharacters, styleText } from "node:util";

/** Width of the terminal in columns. Without a terminal: 80. */
const columns = Math.max(60, process.stdout.columns ?? 80);

/** Bold or coloured text. Plain when the output is no terminal, or with `NO_COLOR`. */
export function styled(format: "bold" | "dim" | "green" | "cyan" | "red", text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

/** Prints a line, cut to the width of the terminal. */
export function printLine(text = ""): void {
  const plain = stripVTControlCharacters(text);
  console.log(plain.length <= columns ? text : `${plain.slice(0, columns - 1)}…`);
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
