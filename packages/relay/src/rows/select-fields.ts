import { isRow, mapRows, type Row } from "./map-rows.ts";

export interface Selection {
  /** The value, whose rows have only the fields. */
  readonly selected: unknown;
  /** Whether any row has other fields, so that the selection is shorter. */
  readonly isShorter: boolean;
  /** The fields that no row has. */
  readonly missing: readonly string[];
  /** The fields of the first row. Undefined if there are no rows. */
  readonly known: readonly string[] | undefined;
}

/**
 * Selects fields of every row of a JSON value. A field that a row itself does not have is looked for in the objects of the row:
 * `login` selects `{"user": {"login": …}}`, as `user.login` does. A row with none of the fields is left whole.
 */
export function selectFields(value: unknown, fields: readonly string[]): Selection {
  const missing = new Set(fields);
  let isShorter = false;
  let known: readonly string[] | undefined;
  const selected = mapRows(value, {
    minRows: 1,
    change(row) {
      known ??= Object.keys(row);
      const { picked, found } = pick(row, fields);
      for (const field of found) missing.delete(field);
      if (found.length === 0) return row;
      isShorter ||= countFields(picked) < countFields(row);
      return picked;
    },
  });
  return { selected, isShorter, missing: [...missing], known };
}

function pick(row: Row, fields: readonly string[]): { readonly picked: Row; readonly found: readonly string[] } {
  const found = fields.filter((field) => Object.hasOwn(row, field));
  const own = new Set(found);
  const inner = new Set(fields.filter((field) => !own.has(field)));
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(row)) {
    if (own.has(name)) entries.push([name, value]);
    else if (isRow(value)) {
      const picked = Object.entries(value).filter(([key]) => inner.has(key) || inner.has(`${name}.${key}`));
      if (picked.length > 0) entries.push([name, Object.fromEntries(picked)]);
      found.push(...picked.flatMap(([key]) => [key, `${name}.${key}`]));
    }
  }
  return { picked: Object.fromEntries(entries), found };
}

/** Number of fields of a row and of the objects in it. */
function countFields(row: Row): number {
  return Object.values(row).reduce<number>(
    (count, value) => count + 1 + (isRow(value) ? Object.keys(value).length : 0),
    0,
  );
}
