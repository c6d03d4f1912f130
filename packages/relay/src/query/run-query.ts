import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { QueryTask } from "./query-task.ts";

/** Rows that are counted after the answer is full. */
const maxCounted = 100_000;
const maxCellLength = 2_000;
const minCellLength = 20;

const comment = /(?:\s|--[^\n]*(?:\n|$)|\/\*[^]*?\*\/)/.source;
const reading = new RegExp(`^${comment}*(?:select|with|values)\\b`, "i");
const onlyComments = new RegExp(`^(?:${comment}|;)*$`);

/** Runs one reading statement and renders a page of its rows as CSV. @throws Error that names the problem */
export function runQuery(database: DatabaseSync, task: QueryTask, source: string): string {
  const statement = prepare(database, task.sql);
  const columns = statement.columns().map(({ name }) => name);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const lines = [columns.map((name) => csvCell(name.replaceAll(/[\r\n]+/g, " "))).join(",")];
  let left = task.room - size(lines[0] ?? "");
  let rows = 0;
  let isFull = false;
  for (const row of statement.iterate() as unknown as Iterable<readonly SQLOutputValue[]>) {
    rows += 1;
    if (rows <= task.skip) continue;
    const shown = lines.length - 1;
    if (!isFull) {
      const line = shown < task.limit ? lineFor(row, { left, isFirst: shown === 0 }) : undefined;
      if (line !== undefined) {
        left -= size(line);
        lines.push(line);
        continue;
      }
      isFull = true;
    }
    if (rows - task.skip - shown >= maxCounted) break;
  }
  return `${lines.join("\n")}\n${footer({ rows, shown: lines.length - 1, task, source })}`;
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  if (!reading.test(sql)) throw new Error("only a reading statement is allowed: SELECT, WITH or VALUES");
  const statement = database.prepare(sql);
  const rest = sql.slice(statement.sourceSQL.length);
  if (!onlyComments.test(rest)) throw new Error("only one statement is allowed");
  return statement;
}

/** A row as CSV. Cells of the first row are cut, so that it always has room. Undefined for a row without room. */
function lineFor(
  row: readonly SQLOutputValue[],
  { left, isFirst }: { left: number; isFirst: boolean },
): string | undefined {
  const line = lineOf(row, maxCellLength);
  if (size(line) <= left) return line;
  // A character has at most three bytes for each unit of its length, and a quote is doubled.
  return isFirst ? lineOf(row, Math.max(minCellLength, Math.floor(left / (3 * row.length)))) : undefined;
}

function lineOf(row: readonly SQLOutputValue[], maxLength: number): string {
  return row.map((value) => renderCell(value, maxLength)).join(",");
}

function renderCell(value: SQLOutputValue, maxLength: number): string {
  if (value === null) return "";
  const text =
    value instanceof Uint8Array ? `x'${Buffer.from(value.subarray(0, maxLength)).toString("hex")}'` : String(value);
  if (text === "") return '""';
  if (text.length <= maxLength) return csvCell(text);
  return csvCell(`${text.slice(0, maxLength).toWellFormed()}… (${text.length} characters)`);
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function size(line: string): number {
  return Buffer.byteLength(line) + 1;
}

interface FooterOptions {
  readonly rows: number;
  readonly shown: number;
  readonly task: QueryTask;
  readonly source: string;
}

function footer({ rows, shown, task: { skip }, source }: FooterOptions): string {
  const end = skip + shown;
  const table = `t: ${source}`;
  if (shown === 0) return rows === 0 ? `[no row; ${table}]` : `[no more row: there are ${rows}; ${table}]`;
  if (rows === end && skip === 0) return `[${shown} row${shown === 1 ? "" : "s"}; ${table}]`;
  if (rows === end) return `[rows ${skip} to ${end} of ${rows}; ${table}]`;
  const total = rows - end >= maxCounted ? `more than ${rows - 1}` : String(rows);
  return `[rows ${skip} to ${end} of ${total}; next: start ${end}; ${table}]`;
}
