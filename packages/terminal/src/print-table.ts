import { printableText } from "./printable-text.ts";
import stringWidth from "fast-string-width";
import type { Io } from "./io.ts";
import { styled, writeOutput, type Style } from "./print.ts";

export interface Column {
  readonly title: string;
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
/** Width to which columns are shortened before optional columns are left out. */
const minWidth = 24;
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
  width: number;
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
  const columns = all.map((column) => ({ ...column }));
  const excess = (max: number) => columns.reduce((sum, one) => sum + Math.min(one.width, max) + gap, -gap) - width;
  for (const column of columns.toReversed()) {
    if (excess(minWidth) > 0 && column.isOptional === true) columns.splice(columns.indexOf(column), 1);
  }
  const widest = () => columns.toSorted((one, other) => other.width - one.width)[0];
  for (let column = widest(); excess(Infinity) > 0 && column !== undefined && column.width > 1; column = widest()) {
    column.width -= 1;
  }
  return columns;
}
