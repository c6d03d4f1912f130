import type { DescribeShape } from "./shape.ts";
import { describeTree } from "./json.ts";
import { JsonTree } from "./json-tree.ts";

const delimiters = [
  [",", "CSV"],
  ["\t", "TSV"],
  [";", "CSV with ;"],
] as const;

const minRows = 5;
/** Rows that may have another number of cells than the header: this many, and this share. */
const maxOddRows = 2;
const maxOddShare = 0.02;
/** A column's name: a few words, no sentence and no code, or a year. */
const columnName = /^(?:[\p{L}_#@$%"][^{};=<>!?]{0,49}|\d{4})$/u;
/** A number that JavaScript writes in the same form. */
const plainNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{0,9}[1-9])?$/;

/** CSV and TSV as the fields of their rows with types, the number of rows, and one row. */
export const tableShape: DescribeShape = (text, maxTokens) => {
  const [delimiter, format] = delimiters.find(([one]) => isHeader(text, one)) ?? [];
  if (delimiter === undefined) return undefined;
  const tree = new JsonTree();
  let columns: readonly string[] | undefined;
  let columnCount = 0;
  let rows = 0;
  let oddRows = 0;
  const isClosed = forEachRow(text, delimiter, (cells, count) => {
    if (columns === undefined) {
      columns = cells;
      columnCount = count;
      return true;
    }
    rows += 1;
    if (count === columnCount) tree.add(Object.fromEntries(columns.map((name, at) => [name, valueOf(cells[at])])));
    else oddRows += 1;
    return oddRows <= maxOddRows + rows * maxOddShare;
  });
  const isTable = isClosed && rows >= minRows && oddRows <= maxOddRows + rows * maxOddShare && oddRows < rows / 2;
  if (!isTable || tree.root === undefined) return undefined;
  const start = `${format}, ${rows} rows, ${columnCount} columns: `;
  return describeTree(tree.root, { start, label: "row 1", rows: tree.root, maxTokens });
};

function valueOf(cell = ""): string | number | null {
  if (cell === "") return null;
  return plainNumber.test(cell) ? Number(cell) : cell;
}

function isHeader(text: string, delimiter: string): boolean {
  let header: readonly string[] = [];
  const start = text.slice(0, 20_000);
  forEachRow(start, delimiter, (cells) => {
    header = cells;
    return false;
  });
  const isNamed = header.every((cell) => columnName.test(cell));
  return header.length > 1 && isNamed && new Set(header).size === header.length;
}

/** Gets each row of a delimited text. Cells are cut to a length. The same array is used for each row. Returns false to stop. */
type LookAtRow = (cells: readonly string[], cellCount: number) => boolean;

const maxCells = 200;
const maxCellCharacters = 60;

/** Reads rows of cells, as RFC 4180 has them: a quoted cell may hold delimiters and line breaks. False when a quote is never closed. */
function forEachRow(text: string, delimiter: string, look: LookAtRow): boolean {
  const nextEnd = new RegExp(`[\\n${delimiter === "|" ? "\\|" : delimiter}]`, "g");
  let cells: string[] = [];
  let count = 0;
  const add = (cell: string) => {
    count += 1;
    if (cells.length < maxCells) cells.push(cell);
  };
  for (let at = 0; at < text.length;) {
    let end: number;
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close < 0) return false;
      add(text.slice(at + 1, Math.min(close, at + 1 + maxCellCharacters)).replaceAll('""', '"'));
      end = close + 1;
    } else {
      nextEnd.lastIndex = at;
      end = nextEnd.exec(text)?.index ?? text.length;
      add(text.slice(at, Math.min(end, at + maxCellCharacters)).trim());
    }
    if (text[end] === "\r") end += 1;
    if (end < text.length && text[end] !== "\n") {
      // A closed quote must end its cell.
      if (text[end] !== delimiter) return false;
      at = end + 1;
      if (at < text.length && text[at] !== "\n") continue;
      add("");
      end = at;
    }
    const isBlank = count === 1 && cells[0] === "";
    if (!isBlank && !look(cells, count)) return true;
    cells = [];
    count = 0;
    at = end + 1;
  }
  return true;
}

function closingQuote(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || text[quote + 1] !== '"') return quote;
    at = quote + 2;
  }
}
