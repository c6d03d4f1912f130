import { closest, isObject, ToolError } from "@toolpacks/core";
import { z } from "zod";

/** A record with named values, such as an item of another tool's structured result. */
export type Row = Readonly<Record<string, unknown>>;

const maxText = 10_000_000;
const maxRows = 10_000;

/** The content of a written file: a text, or the values of another tool's result. */
export const contentField = z.union([z.string().max(maxText), z.array(z.unknown()).max(maxRows)]);

interface RowsOptions {
  /** The file's path. Its ending decides the format. */
  readonly path: string;
  /** Dotted names of the values to write, or the names of the values of rows that are lists. Default: all. */
  readonly columns?: readonly string[] | undefined;
  /** The text of each row, with dotted names of values in braces. */
  readonly template?: string | undefined;
}

/**
 * Renders content as a file's text. With a template, each row becomes a line. Otherwise rows become CSV, JSON or JSON lines if the file's name ends so,
 * and a Markdown table if not. Other values become one line each.
 *
 * @throws ToolError `invalid_input` if rows and other values are mixed, no row has a named field, or the text is too long
 */
export function contentText(content: string | readonly unknown[], options: RowsOptions): string {
  const { columns, template } = options;
  if (columns !== undefined && template !== undefined)
    throw new ToolError("invalid_input", "template: expected without columns, it names the fields itself");
  if (typeof content === "string") {
    if (columns === undefined && template === undefined) return content;
    const field = template === undefined ? "columns" : "template";
    throw new ToolError("invalid_input", `${field}: expected with a content of rows, received a text`);
  }
  const text = renderValues(content, options);
  if (text.length > maxText) throw new ToolError("too_large", `content: expected at most ${maxText} characters`);
  return text;
}

function renderValues(content: readonly unknown[], { path, columns, template }: RowsOptions): string {
  const values = columns !== undefined && content.every(Array.isArray) ? nameValues(content, columns) : content;
  const rows = values.filter(isObject);
  const isRows = rows.length === values.length;
  if (!isRows && (rows.length > 0 || columns !== undefined || template !== undefined)) {
    throw new ToolError("invalid_input", "content: expected a text, rows (objects, lists), or lines (texts, numbers)");
  }
  if (template !== undefined) return renderTemplate(unnest(rows), template);
  if (columns !== undefined) requireFields([...rows, ...unnest(rows)], columns, "columns");
  const chosen = columns === undefined ? values : rows.map((row) => pickColumns(row, columns));
  switch (path.slice(path.lastIndexOf(".")).toLowerCase()) {
    case ".json":
      return `${JSON.stringify(chosen, undefined, 2)}\n`;
    case ".jsonl":
    case ".ndjson":
      return linesOf(chosen.map((value) => JSON.stringify(value)));
    case ".csv":
      if (!isRows) break;
      return linesOf(cellsOf(rows, columns).map((cells) => cells.map(csvCell).join(",")));
    default:
      if (isRows) return markdownTable(rows, columns);
  }
  return linesOf(values.map(cellText));
}

/** Names the values of each list. @throws ToolError `invalid_input` if a list has more or fewer values than there are names */
function nameValues(lists: readonly (readonly unknown[])[], columns: readonly string[]): readonly Row[] {
  const odd = lists.findIndex((list) => list.length !== columns.length);
  if (odd < 0) return lists.map((list) => Object.fromEntries(columns.map((name, at) => [name, list[at]])));
  const problem = `content[${odd}]: expected ${columns.length} values, one for each of columns, received ${lists[odd]?.length}`;
  throw new ToolError("invalid_input", problem);
}

/** Renders rows as a Markdown table. */
export function markdownTable(rows: readonly Row[], columns?: readonly string[]): string {
  const [head = [], ...body] = cellsOf(rows, columns);
  if (head.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.map(markdownCell).join(" | ")} |`;
  return linesOf([line(head), `|${" --- |".repeat(head.length)}`, ...body.map(line)]);
}

/** A field's name in braces. */
const placeholder = /\{([\p{L}\p{N}_$.@-]+)\}/gu;

/** Renders each row as a line. Line breaks in values become spaces. */
function renderTemplate(rows: readonly Row[], template: string): string {
  const names = [...template.matchAll(placeholder)].map(([, name = ""]) => name);
  if (names.length === 0)
    throw new ToolError("invalid_input", "template: expected a field in braces, such as - {path}: {text}");
  requireFields(rows, names, "template");
  const valueOf = (row: Row, name: string) => oneLine(cellText(valueIn(row, name)));
  return linesOf(rows.map((row) => template.replaceAll(placeholder, (_, name: string) => valueOf(row, name))));
}

/** @throws ToolError `invalid_input` if a field is in none of the rows */
function requireFields(rows: readonly Row[], names: readonly string[], argument: string): void {
  const unknown = names.find((name) => rows.length > 0 && rows.every((row) => valueIn(row, name) === undefined));
  if (unknown === undefined) return;
  const known = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const near = closest(unknown, known);
  throw new ToolError(
    "invalid_input",
    `${argument}: unknown field ${JSON.stringify(unknown)}${near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`}`,
    `The rows have ${known.slice(0, 20).join(", ")}.`,
  );
}

/** The cells of a header and of each row. */
function cellsOf(rows: readonly Row[], columns?: readonly string[]): readonly (readonly string[])[] {
  const flat = unnest(rows);
  const names = columns ?? [...new Set(flat.flatMap((row) => Object.keys(row)))];
  return [names, ...flat.map((row) => names.map((name) => cellText(valueIn(row, name))))];
}

/**
 * Expands rows that have a list of rows: one row for each entry. So hits that are grouped by file become a table of hits. An entry's field with the name
 * of a field around it gets the name `list.field`.
 */
function unnest(rows: readonly Row[]): readonly Row[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => isRowList(row[name]))));
  const [name] = names;
  if (name === undefined || names.size > 1) return rows;
  const flat = rows.flatMap(({ [name]: list, ...around }): readonly Row[] => {
    if (!isRowList(list)) return [around];
    return list.map((entry) => {
      const inner = Object.entries(entry).map(([key, value]) => [
        Object.hasOwn(around, key) ? `${name}.${key}` : key,
        value,
      ]);
      return { ...around, ...(Object.fromEntries(inner) as Row) };
    });
  });
  if (flat.length <= maxRows) return flat;
  throw new ToolError("too_large", `content: expected at most ${maxRows} rows, received ${flat.length}`);
}

function isRowList(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function pickColumns(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((name) => [name, valueIn(row, name) ?? null]));
}

/** The value of a field, or at a dotted path. A field whose own name has dots is found by its name. */
export function valueIn(value: unknown, path: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(value, name)) return valueIn(value[name], path.slice(dot + 1));
  }
  return undefined;
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function markdownCell(text: string): string {
  return oneLine(text.replaceAll(/[\\|]/g, String.raw`\$&`));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, " ").trim();
}

/** A CSV cell of RFC 4180. */
function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
