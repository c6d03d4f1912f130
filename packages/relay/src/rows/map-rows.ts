import { isObject } from "@toolpacks/core";
import { isExactNumber } from "../process/exact-json.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Maximum nesting of a value that is looked into. */
export const maxDepth = 50;

/** The names and indexes that lead to a part of a value. */
export type Path = readonly (string | number)[];

interface RowMapping {
  /** Minimum objects in a list of rows. */
  readonly minRows: number;
  readonly change: (row: Row, path: Path) => Row;
}

/** Changes the objects of every list in a JSON value. Lists inside of a row belong to the row. */
export function mapRows(value: unknown, mapping: RowMapping, path: Path = []): unknown {
  if (path.length > maxDepth) return value;
  if (Array.isArray(value)) {
    const isList = value.filter(isRow).length >= mapping.minRows;
    return value.map((item, at) =>
      isList && isRow(item) ? mapping.change(item, [...path, at]) : mapRows(item, mapping, [...path, at]),
    );
  }
  return isRow(value) ? mapFields(value, (field, name) => mapRows(field, mapping, [...path, name])) : value;
}

/** Whether a value is an object. A number that keeps its source is none. */
export function isRow(value: unknown): value is Row {
  return isObject(value) && !isExactNumber(value);
}

export function mapFields(row: Row, change: (field: unknown, name: string) => unknown): Row {
  return Object.fromEntries(Object.entries(row).map(([name, field]) => [name, change(field, name)]));
}
