import { printableText } from "./printable-text.ts";

/** Renders rows as lines with aligned columns. Numbers are aligned right. */
export function table(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "number" ? cell : printableText(cell, Infinity))));
  const widths = cells.reduce<number[]>(
    (all, row) => row.map((cell, at) => Math.max(all[at] ?? 0, String(cell).length)),
    [],
  );
  const pad = (cell: string | number, at: number) =>
    typeof cell === "number" ? String(cell).padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
  return cells.map((row) => row.map(pad).join("  ").trimEnd());
}
