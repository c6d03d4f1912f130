import { csvRecords } from "../query/csv-table.ts";
import type { DescribeShape } from "./shape.ts";
import { describeTree } from "./json.ts";
import { JsonTree } from "./json-tree.ts";

const delimiters = [
  [",", "CSV"],
  ["\t", "TSV"],
  [";", "CSV with ;"],
] as const;

/** Maximum characters of a text that is parsed for its shape, and of its beginning that is searched for a header. */
const maxCharacters = 8 * 1024 * 1024;
const maxHeaderCharacters = 20_000;
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
  if (text.length > maxCharacters) return undefined;
  const [delimiter, format] = delimiters.find(([one]) => isHeader(text, one)) ?? [];
  const [columns, ...rows] = (delimiter && readRows(text, delimiter)) ?? [];
  if (columns === undefined) return undefined;
  const equal = rows.filter(({ length }) => length === columns.length);
  const oddCount = rows.length - equal.length;
  const isTable = oddCount <= maxOddRows + rows.length * maxOddShare && oddCount < rows.length / 2;
  if (rows.length < minRows || !isTable) return undefined;
  const tree = new JsonTree();
  for (const row of equal) tree.add(Object.fromEntries(columns.map((name, at) => [name, valueOf(row[at])])));
  const start = `${format}, ${rows.length} rows, ${columns.length} columns: `;
  return tree.root && describeTree(tree.root, { start, label: "row 1", rows: tree.root, maxTokens });
};

function valueOf(cell = ""): string | number | null {
  if (cell === "") return null;
  return plainNumber.test(cell) ? Number(cell) : cell;
}

function isHeader(text: string, delimiter: string): boolean {
  const [header = []] = readRows(text.slice(0, maxHeaderCharacters), delimiter, 1) ?? [];
  return header.length > 1 && new Set(header).size === header.length && header.every((cell) => columnName.test(cell));
}

/** The rows of a delimited text. Undefined when a quote is never closed. */
function readRows(text: string, delimiter: string, maxRows?: number): string[][] | undefined {
  try {
    return csvRecords(text, delimiter, { to: maxRows, trim: true });
  } catch {
    return undefined;
  }
}
