import { isObject } from "@toolpacks/core";
import { cellOf, columnNames, maxColumns, type Cell, type Table } from "./table.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The rows of a table: the items of a list, or the fields of an object, whose names are in the column `key`. */
interface Rows {
  readonly path: string;
  readonly items: readonly unknown[];
  readonly keys?: readonly string[];
}

const maxDepth = 8;
const maxVisited = 10_000;
/** An object of fewer objects has fields of its own rather than rows. */
const minEntries = 5;

/** The largest list of a JSON value, or the object whose fields are the most objects of one kind. */
export function jsonTable(json: unknown): Table {
  const [largest, ...others] = rowsIn(json).sort((one, other) => weight(other) - weight(one));
  const rows = largest ?? { path: "$", items: [json] };
  const more = others.slice(0, 3).map(({ path, items }) => `${path} (${items.length})`);
  return tableOf(rows, more.length > 0 ? `; other lists: ${more.join(", ")}` : "");
}

/** The rows that a JSONPath finds: the items of the only list, or each value. */
export function pickedTable(found: readonly unknown[], path: string): Table {
  const [only] = found;
  if (found.length !== 1) return tableOf({ path, items: found });
  if (Array.isArray(only)) return tableOf({ path, items: only });
  return tableOf(isObject(only) && isMap(only) ? mapRows(only, path) : { path, items: [only] });
}

/** A table of separate JSON values, such as the lines of a log. */
export function itemsTable(items: readonly unknown[], path: string): Table {
  return tableOf({ path, items });
}

function weight({ items }: Rows): number {
  return items.length + (isObject(items[0]) ? 1e9 : 0);
}

/** The lists of an object, at any depth outside of other lists. */
function rowsIn(json: unknown): Rows[] {
  const found: Rows[] = [];
  const queue = [{ value: json, path: "$", depth: 0 }];
  for (const { value, path, depth } of queue) {
    if (Array.isArray(value)) {
      if (value.length > 0) found.push({ path, items: value });
    } else if (isObject(value)) {
      if (isMap(value)) found.push(mapRows(value, path));
      if (depth === maxDepth) continue;
      for (const [key, inner] of Object.entries(value)) {
        if (queue.length === maxVisited) break;
        if (typeof inner === "object") queue.push({ value: inner, path: path + step(key), depth: depth + 1 });
      }
    }
  }
  return found;
}

function mapRows(value: Fields, path: string): Rows {
  return { path, items: Object.values(value), keys: Object.keys(value) };
}

function isMap(value: Fields): boolean {
  const items = Object.values(value);
  return items.length >= minEntries && items.every(isObject);
}

function step(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key.slice(0, 60).replaceAll(/['\\]/g, String.raw`\$&`)}']`;
}

function tableOf({ path, items, keys }: Rows, note = ""): Table {
  const fields = new Map<string, number>();
  let hasValues = false;
  for (const item of items) {
    if (!isObject(item)) hasValues = true;
    else for (const key of Object.keys(item)) if (!fields.has(key)) fields.set(key, fields.size);
    if (fields.size > maxColumns) break;
  }
  const isWide = fields.size > maxColumns;
  const used = isWide ? new Map<string, number>() : fields;
  const names = [...(keys ? ["key"] : []), ...used.keys(), ...(hasValues || isWide ? ["value"] : [])];
  const columns = columnNames(names);
  const wide = isWide ? `; value is JSON, because the rows have more than ${maxColumns} different keys` : "";
  return {
    columns: columns.length === 0 ? ["value"] : columns,
    rows: cells({ items, keys, fields: used, width: Math.max(1, columns.length) }),
    source: `${items.length} row${items.length === 1 ? "" : "s"} of ${path}${wide}${note}`,
  };
}

interface CellsOptions {
  readonly items: readonly unknown[];
  readonly keys?: readonly string[];
  readonly fields: ReadonlyMap<string, number>;
  readonly width: number;
}

function* cells({ items, keys, fields, width }: CellsOptions): Generator<Cell[]> {
  const offset = keys ? 1 : 0;
  for (const [at, item] of items.entries()) {
    const row: Cell[] = Array.from({ length: width }, () => null);
    if (keys) row[0] = keys[at] ?? null;
    if (!isObject(item) || (fields.size === 0 && offset < width)) row[width - 1] = cellOf(item);
    else {
      for (const [key, value] of Object.entries(item)) {
        const column = fields.get(key);
        if (column !== undefined) row[column + offset] = cellOf(value);
      }
    }
    yield row;
  }
}
