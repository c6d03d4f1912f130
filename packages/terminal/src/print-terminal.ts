import { printableText } from "./printable-text.ts";
import type { Io } from "./io.ts";
import { styled, writeOutput, type Style } from "./print.ts";

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

function renderSpan(io: Io, span: Span): string {
  if (typeof span === "string") return printableText(span, Infinity);
  return styled(io, io.stdout, [span.style, printableText(span.text, Infinity)]);
}
