/** A number outside of strings that may exceed 2^53. */
const longNumber = /(?:^|[:,[\s])-?\d{16}/;

/** Parses JSON. Integers beyond 2^53 stay as text, because JavaScript would change them. Undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return longNumber.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function keepDigits(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? context.source : value;
}

const maxTextBefore = 2_000;

/**
 * The JSON in a text. Servers write it after a line of words, or in a code block of Markdown: the text before may have 2,000
 * characters, and nothing but a short text may follow. Returns the text if no JSON begins in it.
 */
export function jsonIn(text: string): string {
  const whole = text.replace(/^\uFEFF/, "");
  if (/^\s*[[{"]/.test(whole)) return whole;
  const begins = /^[ \t]*[[{]/m.exec(whole.slice(0, maxTextBefore));
  if (begins === null) return whole;
  const end = Math.max(whole.lastIndexOf("]"), whole.lastIndexOf("}")) + 1;
  return whole.length - end > maxTextBefore ? whole : whole.slice(begins.index, end);
}
