/** The full-text index of a kind, over the words of its records. */
export function textTable(kind: string): string {
  return `text_${kind}`;
}

/** Items of array fields, one row each. */
export function itemTable(kind: string): string {
  return `item_${kind}`;
}
