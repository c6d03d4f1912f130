import type { DescribeShape } from "./shape.ts";
import { fits, joinFitting, shown } from "./shown.ts";
import { forEachRow } from "./table-rows.ts";
import { ValueCounts } from "./value-counts.ts";

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
const rowShare = 0.7;

class Column {
  readonly name: string;
  readonly values = new ValueCounts();
  readonly #kinds = new Set<string>();
  #empty = 0;

  constructor(name: string) {
    this.name = name;
  }

  add(cell: string): void {
    if (cell === "") this.#empty += 1;
    else {
      this.values.add(cell);
      this.#kinds.add(kindOf(cell));
    }
  }

  /** Name, type, and whether cells are empty. */
  type(withValues: boolean): string {
    const name = shown(this.name, 40) || '""';
    const kinds = [...this.#kinds];
    const isNumber = kinds.length > 0 && kinds.every((one) => one === "integer" || one === "number");
    const [only = "empty"] = kinds;
    const kind = isNumber ? (kinds.includes("number") ? "number" : "integer") : kinds.length > 1 ? "text" : only;
    const repeated = withValues && !isNumber ? this.values.repeated : undefined;
    const values = repeated?.map(([value, count]) => `${shown(value, 20)} ${count}×`).join("|");
    return `${name} ${values ?? kind}${this.#empty > 0 ? "?" : ""}`;
  }
}

function kindOf(cell: string): string {
  if (/^[-+]?\d{1,20}$/.test(cell)) return "integer";
  if (/^[-+]?(?:\d{1,20}\.\d*|\.\d+|\d{1,20})(?:[eE][-+]?\d{1,3})?$/.test(cell)) return "number";
  if (/^(?:true|false)$/i.test(cell)) return "boolean";
  return /^\d{4}-\d\d-\d\d(?:[T ][\d:.]{4,18}(?:Z|[-+][\d:]{2,5})?)?$/.test(cell) ? "date" : "text";
}

/** CSV and TSV as columns with types, the number of rows, and one row. */
export const tableShape: DescribeShape = (text, maxTokens) => {
  const [delimiter, format] = delimiters.find(([one]) => isHeader(text, one)) ?? [];
  if (delimiter === undefined) return undefined;
  const table = readTable(text, delimiter);
  if (table === undefined) return undefined;
  const { columns, columnCount, rows, first } = table;
  const start = `${format}, ${rows} rows, ${columnCount} columns: `;
  const budget = Math.floor(maxTokens * rowShare);
  const plain = columns.map((column) => column.type(false));
  const rich = `${start}${columns.map((column) => column.type(true)).join(", ")}`;
  const isWhole = columns.length === columnCount;
  const head =
    isWhole && fits(rich, budget) ? rich : joinFitting([start + plain[0], ...plain.slice(1)], columnCount, budget);
  const row = [200, 100, 50, 25]
    .map((length) => `row 1: ${shown(first.map((cell) => quoted(shown(cell, 40), delimiter)).join(delimiter), length)}`)
    .find((line) => fits(`${head}\n${line}`, maxTokens));
  return { text: row === undefined ? head : `${head}\n${row}`, isTable: true };
};

function quoted(cell: string, delimiter: string): string {
  return cell.includes(delimiter) ? `"${cell}"` : cell;
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

interface Table {
  readonly columns: readonly Column[];
  readonly columnCount: number;
  readonly rows: number;
  readonly first: readonly string[];
}

/** Undefined for a text that is no table: its rows differ in length. */
function readTable(text: string, delimiter: string): Table | undefined {
  let columns: readonly Column[] | undefined;
  let columnCount = 0;
  let first: readonly string[] | undefined;
  let rows = 0;
  let oddRows = 0;
  const isClosed = forEachRow(text, delimiter, (cells, count) => {
    if (columns === undefined) {
      columns = cells.map((name) => new Column(name));
      columnCount = count;
      return true;
    }
    rows += 1;
    first ??= cells;
    if (count !== columnCount) {
      oddRows += 1;
      return oddRows <= maxOddRows + rows * maxOddShare;
    }
    for (const [at, column] of columns.entries()) column.add(cells[at] ?? "");
    return true;
  });
  const isTable = isClosed && rows >= minRows && oddRows <= maxOddRows + rows * maxOddShare && oddRows < rows / 2;
  return columns === undefined || first === undefined || !isTable ? undefined : { columns, columnCount, rows, first };
}
