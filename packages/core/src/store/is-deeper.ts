/** Whether objects and arrays nest more than `most` deep in a value; 0 for one that is neither. */
export function isDeeper(value: unknown, most: number): boolean {
  if (value === null || typeof value !== "object") return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}
