/** Bounds of a JSON value. Default of each: no limit. */
export interface ValueBounds {
  /** Maximum nesting of objects and arrays. A scalar has depth 0. */
  readonly maxDepth?: number;
  /** Maximum number of values, with the outermost. */
  readonly maxValues?: number;
  /** Maximum characters of its JSON. They are counted approximately: escapes count as one. */
  readonly maxCharacters?: number;
}

export interface ValueSize {
  readonly values: number;
  readonly characters: number;
  /** The first bound that the value exceeds. Counting ends there. */
  readonly exceeded?: keyof ValueBounds;
}

/**
 * Counts a JSON value level by level, so that a deep value does not overflow the stack. An object that occurs several times counts each time, as in
 * JSON.
 */
export function measure(value: unknown, bounds: ValueBounds): ValueSize {
  const { maxDepth = Infinity, maxValues = Infinity, maxCharacters = Infinity } = bounds;
  let values = 1;
  let characters = ownCharacters(value);
  let level: readonly object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return { values, characters, exceeded: "maxDepth" };
    const next: object[] = [];
    for (const container of level) {
      const isList = Array.isArray(container);
      const keys = isList ? [] : Object.keys(container);
      const inner: readonly unknown[] = isList ? container : Object.values(container);
      values += inner.length;
      if (values > maxValues) return { values, characters, exceeded: "maxValues" };
      characters += inner.length;
      for (const key of keys) characters += key.length + 3;
      for (const one of inner) {
        characters += ownCharacters(one);
        if (isContainer(one)) next.push(one);
      }
      if (characters > maxCharacters) return { values, characters, exceeded: "maxCharacters" };
    }
    level = next;
  }
  return characters > maxCharacters ? { values, characters, exceeded: "maxCharacters" } : { values, characters };
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Characters of a value without what is inside of it. Most numbers are shorter. */
function ownCharacters(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (isContainer(value)) return 2;
  return typeof value === "number" ? 8 : 4;
}

/** Describes a value that exceeds a bound, as the end of a sentence "it is …". */
export function exceededMessage(exceeded: keyof ValueBounds, bounds: ValueBounds): string {
  const max = (bounds[exceeded] ?? Infinity).toLocaleString("en");
  if (exceeded === "maxDepth") return `nested more than ${max} levels deep`;
  return exceeded === "maxValues" ? `made of more than ${max} values` : `longer than ${max} characters of JSON`;
}
