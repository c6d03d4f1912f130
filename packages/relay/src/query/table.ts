/** Rows with named columns, as they are loaded into SQLite. */
export interface Table {
  /** Unique, also without regard to case. */
  readonly columns: readonly string[];
  readonly rows: Iterable<readonly Cell[]>;
  /** What the rows are, such as `12 rows of $.items`. */
  readonly source: string;
}

export type Cell = string | number | bigint | null;

/** A table with more columns has each row as JSON in one column. */
export const maxColumns = 1_000;
const maxNameLength = 100;

/** Makes names of columns unique and printable. SQLite ignores the case of names. */
export function columnNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    // Whitespace and control characters would break the lines of an answer.
    const plain = name
      .toWellFormed()
      .replaceAll(/[\s\p{Cc}]+/gu, " ")
      .trim()
      .slice(0, maxNameLength);
    const base = plain === "" ? `column_${at + 1}` : plain;
    let unique = base;
    for (let count = 2; taken.has(unique.toLowerCase()); count += 1) unique = `${base}_${count}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

/** A JSON value as SQLite stores it: integers as integers, true as 1, lists and objects as JSON text. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  return JSON.stringify(value);
}
