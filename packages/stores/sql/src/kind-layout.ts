import type { IndexedField } from "@toolpacks/core";
import type { KindLayout } from "@toolpacks/core/store";
import { indexName } from "./table-names.ts";

export function isArrayField({ type }: IndexedField): boolean {
  return type === "strings" || type === "numbers";
}

/** Whether a kind as it is kept has all that a declaration of it wants. */
export function includesLayout(known: KindLayout, wanted: KindLayout): boolean {
  const names = new Set(known.indexes.map((index) => indexName(wanted.name, index)));
  return (
    wanted.indexes.every((index) => names.has(indexName(wanted.name, index))) &&
    wanted.text.every((path) => known.text.includes(path))
  );
}

/** A declaration with the indexes and texts that the kind already has: another process may still run the older one. */
export function mergeLayouts(known: KindLayout | undefined, wanted: KindLayout): KindLayout {
  const all = [...(known?.indexes ?? []), ...wanted.indexes];
  const text = [...new Set([...(known?.text ?? []), ...wanted.text])];
  return {
    ...wanted,
    text,
    indexes: [...new Map(all.map((index) => [indexName(wanted.name, index), index])).values()],
  };
}
