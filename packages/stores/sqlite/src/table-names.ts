/** The full-text index of a kind, over the words of its records. */
export function textTable(kind: string): string {
  return `text_${kind}`;
}

/** Items of array fields, one row each. */
export function itemTable(kind: string): string {
  return `item_${kind}`;
}

/** The index of a kind by workspace, `closed` and age. */
export function ageIndex(kind: string): string {
  return `${kind}_by_age`;
}
