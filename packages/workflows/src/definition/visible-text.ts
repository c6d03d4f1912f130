/**
 * Characters that are invisible or reorder other characters. A model reads them, and a terminal obeys some. Line breaks, tabs
 * and emoji selectors are allowed.
 */
const invisible = /(?![\n\t]|\uFE0E|\uFE0F|\r\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The first invisible character of a text. Undefined when there is none. */
function invisibleProblem(text: string): string | undefined {
  const code = invisible.exec(text)?.[0].codePointAt(0);
  if (code === undefined) return undefined;
  return `expected text without control and invisible characters, received U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/** The first key or string of a value that has an invisible character. */
export function findInvisible(value: unknown): Problem | undefined {
  const open: { readonly path: readonly string[]; readonly inner: unknown }[] = [{ path: [], inner: value }];
  const seen = new Set<unknown>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, inner } = next;
    if (typeof inner === "string") {
      const message = invisibleProblem(inner);
      if (message !== undefined) return { path, message };
    } else if (inner !== null && typeof inner === "object" && !seen.has(inner)) {
      seen.add(inner);
      for (const [key, one] of Object.entries(inner)) {
        const message = invisibleProblem(key);
        if (message !== undefined) return { path, message: `a field's name: ${message}` };
        open.push({ path: [...path, key], inner: one });
      }
    }
  }
  return undefined;
}
