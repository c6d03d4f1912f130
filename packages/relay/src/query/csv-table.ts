import { parse } from "csv-parse/sync";
import { columnNames, maxColumns, type Cell, type Table } from "./table.ts";

const delimiters = [",", "\t", ";", "|"];
const sampleLength = 1024 * 1024;
const sampleRecords = 20;
/** Part of the first records that have as many cells as the header. */
const minEqual = 0.8;
/** A line that begins with a date or time is a line of a log. */
const timestamp = /^\s*[[(]?\d{2,4}[-/:.]\d{2}[-/:.]/;
const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/;

/** Reads CSV, TSV or text with another delimiter. Returns the problem if the text looks like CSV and is none. Undefined for other text. */
export function csvTable(text: string): Table | { readonly problem: string } | undefined {
  const delimiter = delimiterOf(text);
  if (delimiter === undefined) return undefined;
  try {
    return tableOf(csvRecords(text, delimiter), delimiter);
  } catch (error) {
    const { lines } = error as { readonly lines?: number };
    if (lines === undefined) throw error;
    return { problem: `not CSV: a quote is not closed or not at the end of its cell; read until line ${lines}` };
  }
}

/** The records of a delimited text, with cells as they are. @throws the parser's error for a wrong quote */
export function csvRecords(text: string, delimiter: string, options: { to?: number; trim?: boolean } = {}): string[][] {
  return parse(text, {
    delimiter,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    ...options,
  });
}

/** The delimiter that gives the first records the most cells, each as many as the header. */
function delimiterOf(text: string): string | undefined {
  if (timestamp.test(text.slice(0, 100))) return undefined;
  const sample = text.length > sampleLength ? text.slice(0, text.lastIndexOf("\n", sampleLength) + 1) : text;
  let best: string | undefined;
  let cells = 1;
  for (const delimiter of delimiters) {
    const width = commonWidth(sample, delimiter);
    if (width <= cells) continue;
    cells = width;
    best = delimiter;
  }
  return best;
}

function commonWidth(sample: string, delimiter: string): number {
  const found = sampleOf(sample, delimiter);
  const width = found[0]?.length ?? 0;
  const equal = found.filter((record) => record.length === width).length;
  return found.length > 1 && equal >= found.length * minEqual ? width : 0;
}

/** The first records. If a quote is wrong, the lines are split at the delimiter. */
function sampleOf(sample: string, delimiter: string): string[][] {
  try {
    return csvRecords(sample, delimiter, { to: sampleRecords });
  } catch {
    const lines = sample.split("\n", sampleRecords).filter((line) => line.trim() !== "");
    return lines.map((line) => line.split(delimiter));
  }
}

function tableOf(all: readonly string[][], delimiter: string): Table {
  const [first = []] = all;
  const hasHeader = !first.every((cell) => cell === "" || plainNumber.test(cell));
  const rows = hasHeader ? all.slice(1) : all;
  const width = rows.reduce((most, row) => Math.max(most, row.length), first.length);
  const names = Array.from({ length: width }, (_, at) => (hasHeader ? (first[at] ?? "") : ""));
  const type = delimiter === "\t" ? "TSV" : delimiter === "," ? "CSV" : `CSV with ${delimiter}`;
  const source = `${rows.length} row${rows.length === 1 ? "" : "s"} of ${type}${hasHeader ? "" : " without a header"}`;
  if (width > maxColumns) {
    const problem = `; value is JSON, because the rows have more than ${maxColumns} cells`;
    return { columns: ["value"], rows: wideRows(rows, names), source: source + problem };
  }
  return { columns: columnNames(names), rows: typedRows(rows, width), source };
}

function* wideRows(rows: readonly string[][], names: readonly string[]): Generator<Cell[]> {
  const keys = names.map((name, at) => name || `column_${at + 1}`);
  for (const row of rows) yield [JSON.stringify(Object.fromEntries(row.map((cell, at) => [keys[at], cell])))];
}

/** A column whose cells are all numbers, or empty, has numbers. Every other column has text. */
function* typedRows(rows: readonly string[][], width: number): Generator<Cell[]> {
  const isNumeric = Array.from({ length: width }, (_, at) => {
    const filled = rows.filter((row) => row[at]);
    return filled.length > 0 && filled.every((row) => isExactNumber(row[at] ?? ""));
  });
  for (const row of rows) {
    yield isNumeric.map((numeric, at) => {
      const cell = row[at];
      if (cell === undefined || (numeric && cell === "")) return null;
      return numeric ? numberOf(cell) : cell;
    });
  }
}

function isExactNumber(cell: string): boolean {
  return plainNumber.test(cell) && (!Number.isInteger(Number(cell)) || Number.isSafeInteger(Number(cell)));
}

function numberOf(cell: string): Cell {
  return /[.eE]/.test(cell) ? Number(cell) : BigInt(cell);
}
