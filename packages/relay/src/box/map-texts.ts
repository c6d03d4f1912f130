const deepest = 64;

/** A value with every text in it replaced; the same object when all of them stay. */
export async function mapTexts(
  value: unknown,
  replace: (text: string) => string | Promise<string>,
  depth = 0,
): Promise<unknown> {
  if (typeof value === "string") return replace(value);
  if (value === null || typeof value !== "object" || depth > deepest) return value;
  const entries: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const isOpen = typeof inner === "string" || typeof inner === "object";
    const mapped = isOpen ? await mapTexts(inner, replace, depth + 1) : inner;
    isChanged ||= mapped !== inner;
    entries.push([name, mapped]);
  }
  if (!isChanged) return value;
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
