/** Rows as lines with aligned columns; numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, at) => Math.max(all[at] ?? 0, String(cell).length)),
    [],
  );
  const pad = (cell: string | number, at: number) =>
    typeof cell === "number" ? String(cell).padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
  return rows.map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("");
}
