/** Limits of a JSON value. */
export interface JsonBounds {
  /** Maximum number of values, including the outermost value. */
  readonly maxElements: number;
  /** Maximum nesting depth of objects and arrays. */
  readonly maxDepth: number;
}

/** The first limit that a JSON value exceeds. Undefined if it exceeds none. */
export function exceededBound(value: unknown, { maxElements, maxDepth }: JsonBounds): keyof JsonBounds | undefined {
  let level: unknown[] = [value];
  let count = 1;
  for (let depth = 0; level.length > 0; depth += 1) {
    const inside: unknown[] = [];
    for (const item of level) {
      if (item === null || typeof item !== "object") continue;
      if (depth === maxDepth) return "maxDepth";
      const inner: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
      count += inner.length;
      if (count > maxElements) return "maxElements";
      for (const one of inner) inside.push(one);
    }
    level = inside;
  }
  return undefined;
}
