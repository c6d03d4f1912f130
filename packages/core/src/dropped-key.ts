/** A key that zod leaves out of what it checks, whatever the schema says. */
const droppedKey = "__proto__";

/**
 * The path of a field named `__proto__` that is in a value and not in what a schema made of it. Undefined when there is none. Without this check, a
 * filter by that name would be a filter by nothing.
 */
export function droppedField(value: unknown, checked: unknown): readonly string[] | undefined {
  const seen = new Set<unknown>();
  const open: { readonly value: unknown; readonly checked: unknown; readonly at: readonly string[] }[] = [
    { value, checked, at: [] },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: given, checked: kept, at } = next;
    // What the schema passed on as it came lost nothing.
    if (given === null || typeof given !== "object" || given === kept || seen.has(given)) continue;
    seen.add(given);
    const into = kept !== null && typeof kept === "object" ? kept : {};
    if (Object.hasOwn(given, droppedKey) && !Object.hasOwn(into, droppedKey)) return [...at, droppedKey];
    for (const [key, inner] of Object.entries(given)) {
      if (inner === null || typeof inner !== "object" || !Object.hasOwn(into, key)) continue;
      open.push({ value: inner, checked: Reflect.get(into, key), at: [...at, key] });
    }
  }
  return undefined;
}
