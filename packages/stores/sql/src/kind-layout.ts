import { ToolError, type IndexedField } from "@toolpacks/core";
import { checkStoredLayout, type KindLayout } from "@toolpacks/core/store";
import { indexName } from "./table-names.ts";

export function isArrayField({ type }: IndexedField): boolean {
  return type === "strings" || type === "numbers";
}

/** Whether the stored layout of a kind includes everything of the wanted layout. */
export function includesLayout(known: KindLayout, wanted: KindLayout): boolean {
  const names = new Set(known.indexes.map((index) => indexName(wanted.name, index)));
  return (
    wanted.indexes.every((index) => names.has(indexName(wanted.name, index))) &&
    wanted.text.every((path) => known.text.includes(path))
  );
}

/**
 * Adds the stored indexes and text fields to the wanted layout, because another process may still use an older version of the kind.
 *
 * @throws ToolError `too_large` when the result is a layout that could not be read again
 */
export function mergeLayouts(known: KindLayout | undefined, wanted: KindLayout): KindLayout {
  const all = [...(known?.indexes ?? []), ...wanted.indexes];
  const text = [...new Set([...(known?.text ?? []), ...wanted.text])];
  const indexes = [...new Map(all.map((index) => [indexName(wanted.name, index), index])).values()];
  const merged = checkStoredLayout(wanted.name, { ...wanted, text, indexes });
  if (merged !== undefined) return merged;
  throw new ToolError("too_large", `kind ${wanted.name}: it has too many indexes or text fields, or too long ones`);
}
