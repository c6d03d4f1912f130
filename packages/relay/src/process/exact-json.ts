/** A number that JavaScript may write in another form: with a fraction, an exponent, or more digits than it keeps. */
const inexactNumber = /\d[.eE]|-0|\d{16}/;

// TypeScript does not have these yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (source: string) => unknown;
  readonly isRawJSON: (value: unknown) => boolean;
};

/** Parses JSON that may be written again. Numbers that JavaScript writes in another form (`1.0`, 20 digits) keep their source. Undefined for what is not JSON. */
export function parseExactly(line: Buffer): unknown {
  try {
    const text = line.toString();
    return inexactNumber.test(text) ? JSON.parse(text, keepSource) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keepSource(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined || context.source === String(value)) return value;
  return rawJSON(context.source);
}

/** Whether a value is a number that kept its source. */
export function isExactNumber(value: unknown): boolean {
  return isRawJSON(value);
}
