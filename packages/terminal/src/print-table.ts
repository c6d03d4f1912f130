import { printableText } from "./printable-text.ts";
import stringWidth from "fast-string-width";
import type { Io } from "./io.ts";
import { styled, writeOutput, type Style } from "./print.ts";

export interface Column {
  readonly title: string;
  /** Whether the cells are prose. These columns are shortened before others where the terminal is narrow. Default false. */
  readonly isText?: boolean;
  /** Whether the column is left out where the terminal is too narrow for all columns, the last one first. Default false. */
  readonly isOptional?: boolean;
  /** The style of a cell on a terminal with colors. */
  readonly style?: (cell: string) => Style | undefined;
}

/** A cell. Numbers are aligned right. */
export type Cell = string | number | undefined;

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Width of a column from which longer cells are not aligned in a pipe, where nothing is shortened. */
const maxAlignedWidth = 60;
/** Width to which text columns are shortened before optional columns are left out. */
const minTextWidth = 24;
/** Width to which text columns are shortened before the other columns are. */
const minNarrowWidth = 8;
const gap = 2;

/**
 * Prints rows as aligned columns, without columns of empty cells. On a terminal, optional columns are left out and the widest others are shortened until the
 * table fits. In a pipe, cells are complete and have no colors. Control and invisible characters are escaped, line breaks too.
 */
export function printTable(io: Io, table: Table): void {
  const lines = tableLines(table, io).map((line) => `${line}\n`);
  writeOutput(io, lines.join(""));
}

/** Renders rows as lines with aligned columns, as `printTable` prints them. Without an `io`: as in a pipe. */
export function tableLines({ columns, rows }: Table, io?: Io): readonly string[] {
  const width = io?.columns;
  const filled = columns.flatMap((column, at): readonly TableColumn[] => {
    const cells = rows.map((row) => row[at] ?? "");
    if (cells.every((cell) => cell === "")) return [];
    const lines = [column.title, ...cells.map((cell) => cellText(cell, width))];
    const isRight = cells.every((cell) => typeof cell === "number" || cell === "");
    return [{ ...column, isRight, lines, width: Math.max(...lines.map((line) => stringWidth(line))) }];
  });
  const shown = width === undefined ? filled : fitColumns(filled, width);
  return Array.from({ length: rows.length + 1 }, (_, line) =>
    shown
      .map((column) => renderCell(column, line, io))
      .join(" ".repeat(gap))
      .trimEnd(),
  );
}

/** Shortens a text to a width in terminal columns. Wide characters take two. The last character of a shortened text is `…`. */
function shorten(text: string, width: number): string {
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

/** A column with its cells as texts, the title first. */
interface TableColumn extends Column {
  readonly isRight: boolean;
  readonly lines: readonly string[];
  readonly width: number;
}

/** Renders a cell. The first line is the title. */
function renderCell({ lines, width, isRight, style }: TableColumn, line: number, io: Io | undefined): string {
  const isTerminal = io?.columns !== undefined;
  const whole = lines[line] ?? "";
  const text = isTerminal ? shorten(whole, width) : whole;
  const format = line === 0 ? "bold" : style?.(whole);
  const shown = io === undefined || format === undefined ? text : styled(io, io.stdout, [format, text]);
  const padding = " ".repeat(Math.max(0, (isTerminal ? width : Math.min(width, maxAlignedWidth)) - stringWidth(text)));
  return isRight ? padding + shown : shown + padding;
}

function cellText(cell: string | number, width: number | undefined): string {
  const text = printableText(String(cell), Infinity);
  return width === undefined ? text : shorten(text, width);
}

/** Leaves out optional columns, and shrinks the widest others, until the table fits into the width. */
function fitColumns(all: readonly TableColumn[], width: number): readonly TableColumn[] {
  const columns = [...all];
  const excess = () => columns.reduce((sum, column) => sum + minWidthOf(column) + gap, -gap) - width;
  for (const column of all.toReversed()) {
    if (excess() > 0 && column.isOptional === true) columns.splice(columns.indexOf(column), 1);
  }
  const widths = fitWidths(columns, width - gap * (columns.length - 1));
  return columns.map((column, at) => ({ ...column, width: widths[at] ?? column.width }));
}

function minWidthOf({ width, isText }: TableColumn): number {
  return isText === true ? Math.min(width, minTextWidth) : width;
}

/** Shrinks the widest columns until their sum fits, those of prose first. */
function fitWidths(columns: readonly TableColumn[], available: number): readonly number[] {
  const widths = columns.map(({ width }) => width);
  let excess = widths.reduce((sum, one) => sum + one, 0) - available;
  const shrink = (min: number, isOnlyText: boolean) => {
    while (excess > 0) {
      const widest = widths.reduce((best, one, at) => {
        const canShrink = one > min && (!isOnlyText || columns[at]?.isText === true);
        return canShrink && one > (widths[best] ?? 0) ? at : best;
      }, -1);
      if (widest < 0) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess -= 1;
    }
  };
  shrink(minNarrowWidth, true);
  shrink(1, false);
  return widths;
}
