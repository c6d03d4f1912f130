/** Whether objects and arrays in a value are nested deeper than `maxDepth`. A scalar has depth 0. */
export function isDeeper(value: unknown, maxDepth: number): boolean {
  if (value === null || typeof value !== "object") return false;
  return maxDepth === 0 || Object.values(value).some((inner) => isDeeper(inner, maxDepth - 1));
}
