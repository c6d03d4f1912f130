import { kindObject } from "@toolpacks/store-sql";

/** The full-text index of a kind, over the words of its records. */
export function textTable(kind: string): string {
  return kindObject(kind, "text");
}

/** Items of array fields, one row each. */
export function itemTable(kind: string): string {
  return kindObject(kind, "item");
}

/** The index of a kind by workspace, `closed` and age. */
export function ageIndex(kind: string): string {
  return kindObject(kind, "by_age");
}
