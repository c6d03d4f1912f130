import stringWidth from "string-width";
import { styleText } from "node:util";
import { printableText, writeStdout } from "@toolpacks/core/terminal";

type Style = Parameters<typeof styleText>[0];

export interface Column {
  readonly title: string;
  /** Whether the cells are prose. These columns are shortened before others where the terminal is narrow. Default false. */
  readonly isText?: boolean;
  /** Minimum width, so that tables printed one after the other are aligned. Default 0. */
  readonly minWidth?: number;
  /** The style of a cell on a terminal with colors. */
  readonly style?: (cell: string) => Style | undefined;
}

/** A cell. Numbers are aligned right. */
export type Cell = string | number | undefined;

interface TableOptions {
  /** Whether the titles are printed. Default true. */
  readonly hasTitles?: boolean;
  /** Whether columns without any content are printed. Default false. */
  readonly keepsEmpty?: boolean;
}

/** Width of a column from which longer cells are not aligned in a pipe, where nothing is shortened. */
const maxAlignedWidth = 60;
/** Width to which text columns are shortened before the other columns are. */
const minTextWidth = 12;
const gap = 2;

/**
 * Prints rows as aligned columns. On a terminal, the widest columns are shortened until the table fits, those of prose first. In a pipe, cells are
 * complete and have no colors. Control and invisible characters are escaped, line breaks too.
 */
export function printTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: TableOptions = {},
): void {
  const width = terminalWidth();
  const lines = layOut({ columns, rows, width, ...options });
  writeStdout(lines.map((line) => `${line}\n`).join(""));
}

/** Shortens a text to a width in terminal columns. Wide characters take two. The last character of a shortened text is `…`. */
export function shorten(text: string, width: number): string {
  // Characters without a width are few: a text this long is too wide.
  const start = text.length > width * 20 ? text.slice(0, width * 20).toWellFormed() : text;
  if (start === text && stringWidth(text) <= width) return text;
  let shown = "";
  let left = width - 1;
  for (const { segment } of new Intl.Segmenter().segment(start)) {
    left -= stringWidth(segment);
    if (left < 0) break;
    shown += segment;
  }
  return width < 1 ? "" : `${shown}…`;
}

/** The number of columns of the terminal on stdout. Undefined: stdout is not a terminal. */
export function terminalWidth(): number | undefined {
  // A terminal may not know its size.
  return process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
}

interface Table extends TableOptions {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Width of the terminal. Undefined: no terminal. */
  readonly width: number | undefined;
}

function layOut({ columns, rows, width, hasTitles = true, keepsEmpty = false }: Table): readonly string[] {
  const filled = columns.flatMap((column, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    return keepsEmpty || cells.some((cell) => cell !== "") ? [{ column, cells }] : [];
  });
  const maxWidth = width ?? Infinity;
  const shown = filled.map(({ column, cells }) => ({
    column,
    isRight: cells.every((cell) => typeof cell === "number" || cell === ""),
    lines: [...(hasTitles ? [column.title] : []), ...cells.map((cell) => cellText(cell, maxWidth))],
  }));
  const natural = shown.map(({ column, lines }) =>
    Math.max(column.minWidth ?? 0, ...lines.map((line) => stringWidth(line))),
  );
  const widths =
    width === undefined
      ? natural
      : fitWidths(
          natural,
          shown.map(({ column }) => column),
          width,
        );
  return Array.from({ length: rows.length + (hasTitles ? 1 : 0) }, (_, line) => {
    const isTitle = hasTitles && line === 0;
    const cells = shown.map(({ column, isRight, lines }, at) => {
      const text = shorten(lines[line] ?? "", widths[at] ?? 0);
      const style = isTitle ? "bold" : column.style?.(text);
      const styled = style === undefined || text === "" ? text : styleText(style, text);
      const padding = " ".repeat(Math.max(0, Math.min(widths[at] ?? 0, maxAligned(width)) - stringWidth(text)));
      return isRight ? padding + styled : styled + padding;
    });
    return cells.join(" ".repeat(gap)).trimEnd();
  });
}

function maxAligned(width: number | undefined): number {
  return width ?? maxAlignedWidth;
}

function cellText(cell: string | number, maxWidth: number): string {
  const text = printableText(String(cell), Infinity);
  return maxWidth === Infinity ? text : shorten(text, maxWidth);
}

/** Shrinks the widest columns until the table fits into the width, text columns first. */
function fitWidths(natural: readonly number[], columns: readonly Column[], width: number): readonly number[] {
  const widths = [...natural];
  const available = width - gap * (widths.length - 1);
  let excess = widths.reduce((sum, one) => sum + one, 0) - available;
  const shrink = (canShrink: (at: number) => boolean) => {
    while (excess > 0) {
      const widest = widths.reduce<number | undefined>((best, one, at) => {
        return canShrink(at) && (best === undefined || one > (widths[best] ?? 0)) ? at : best;
      }, undefined);
      if (widest === undefined) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess -= 1;
    }
  };
  shrink((at) => columns[at]?.isText === true && (widths[at] ?? 0) > minTextWidth);
  shrink((at) => (widths[at] ?? 0) > 1);
  return widths;
}
