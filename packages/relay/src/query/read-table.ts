import { csvTable } from "./csv-table.ts";
import { itemsTable, jsonTable, pickedTable } from "./json-table.ts";
import { jsonIn, parseJson } from "./parse-json.ts";
import type { Table } from "./table.ts";

const sampleLines = 20;

/** Reads a text as a table: JSON, JSON lines, CSV, or else its lines. */
export async function readTable(text: string, path: string | undefined): Promise<Table> {
  const json = parseJson(jsonIn(text));
  if (json !== undefined) return path === undefined ? jsonTable(json) : pickTable(json, path);
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  const items = jsonLines(lines);
  if (items !== undefined) {
    const table = path === undefined ? itemsTable(items.values, "JSON lines") : await pickTable(items.values, path);
    return { ...table, source: table.source + leftOut(items.others) };
  }
  if (path !== undefined) throw new Error("the value is not JSON: use a handle without #json=");
  const table = csvTable(text);
  if (table !== undefined && "columns" in table) return table;
  return linesTable(lines, table === undefined ? "" : `; ${table.problem}`);
}

async function pickTable(json: unknown, path: string): Promise<Table> {
  const { findIn } = await import("../read/pick.ts");
  const found = findIn(json, path);
  if (found.length === 0) throw new Error(`#json=${path} finds nothing`);
  return pickedTable(found, path);
}

/** The values of JSON lines, if at least half of the first lines are objects or lists. */
function jsonLines(lines: readonly string[]): { values: unknown[]; others: number } | undefined {
  const isJson = (line: string) => /^\s*[[{]/.test(line) && parseJson(line) !== undefined;
  const first = lines
    .slice(0, sampleLines * 5)
    .filter((line) => line.trim() !== "")
    .slice(0, sampleLines);
  if (first.filter(isJson).length * 2 < Math.max(1, first.length)) return undefined;
  const values: unknown[] = [];
  let others = 0;
  for (const line of lines) {
    if (line.trim() === "") continue;
    const value = parseJson(line);
    if (value === undefined) others += 1;
    else values.push(value);
  }
  return { values, others };
}

function leftOut(count: number): string {
  return count === 0 ? "" : `; ${count} line${count === 1 ? " that is" : "s that are"} not JSON left out`;
}

/** Lines from 1. */
function linesTable(lines: readonly string[], note: string): Table {
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  return {
    columns: ["line", "text"],
    rows: (function* rows() {
      for (let at = 0; at < count; at += 1) yield [BigInt(at + 1), (lines[at] ?? "").replace(/\r$/, "")];
    })(),
    source: `${count} line${count === 1 ? "" : "s"} of text${note}`,
  };
}
