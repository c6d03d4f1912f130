/** A key that zod removes from every object that it parses. */
const droppedKey = "__proto__";

/**
 * The path of a field named `__proto__` that zod removed from a value. Undefined if there is none. Without this check, a filter on that name would
 * match everything.
 */
export function droppedField(value: unknown, checked: unknown): readonly string[] | undefined {
  const seen = new Set<unknown>();
  const open: { readonly value: unknown; readonly checked: unknown; readonly at: readonly string[] }[] = [
    { value, checked, at: [] },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: input, checked: output, at } = next;
    // If the schema returned the same object, no field was removed.
    if (input === null || typeof input !== "object" || input === output || seen.has(input)) continue;
    seen.add(input);
    const parsed = output !== null && typeof output === "object" ? output : {};
    if (Object.hasOwn(input, droppedKey) && !Object.hasOwn(parsed, droppedKey)) return [...at, droppedKey];
    for (const [key, inner] of Object.entries(input)) {
      if (inner === null || typeof inner !== "object" || !Object.hasOwn(parsed, key)) continue;
      open.push({ value: inner, checked: Reflect.get(parsed, key), at: [...at, key] });
    }
  }
  return undefined;
}
