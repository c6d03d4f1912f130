/** Counts the values inside a JSON value, itself included, and stops as soon as there are more than `limit`. */
export function countElements(value: unknown, limit: number): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= limit) {
    const next = open.pop();
    count += 1;
    if (Array.isArray(next)) {
      if (next.length > limit) return limit + 1;
      open.push(...next);
    } else if (next !== null && typeof next === "object") open.push(...Object.values(next));
  }
  return count;
}
