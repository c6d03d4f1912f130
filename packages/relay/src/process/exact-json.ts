import { randomUUID } from "node:crypto";
import { oversizedMessage } from "@toolpacks/bounded-io";

/** A number that JavaScript may write in another form: with a fraction, an exponent, or more digits than it keeps. */
const inexactNumber = /(?:^|[:,[\s])(?:-?\d+[.eE]|-0|-?\d{16})/;

// TypeScript does not have these yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (source: string) => unknown;
  readonly isRawJSON: (value: unknown) => boolean;
};

/**
 * Parses JSON that may be written again. Numbers that JavaScript writes in another form (`1.0`, 20 digits) keep their source, except in a message beyond
 * a limit. Undefined for invalid JSON.
 */
export function parseExactly(line: Buffer | string): unknown {
  const text = line.toString();
  try {
    const value: unknown = JSON.parse(text);
    return inexactNumber.test(text) && !oversizedMessage(value) ? JSON.parse(text, keepSource) : value;
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

/** A placeholder for a long string in JSON. It is random and never sent, so no message contains it. */
const mark = randomUUID();
/** Characters of a long string that are serialized at once. */
const sliceLength = 1024 * 1024;

/** Serializes a message in parts: the JSON of a long string in one piece would take as much memory again. */
export function* serialize(message: object): Generator<Buffer> {
  const long: string[] = [];
  const replaceLong = (_: string, value: unknown) => {
    if (typeof value !== "string" || value.length <= sliceLength) return value;
    long.push(value);
    return mark;
  };
  for (const [at, part] of JSON.stringify(message, replaceLong).split(mark).entries()) {
    if (at > 0) yield* serializeInside(long[at - 1] ?? "");
    yield Buffer.from(part);
  }
}

/** The JSON of a string without its quotes. */
function* serializeInside(text: string): Generator<Buffer> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + sliceLength;
    const isPairCut = (text.codePointAt(end - 1) ?? 0) > 0xffff;
    if (isPairCut) end += 1;
    yield Buffer.from(JSON.stringify(text.slice(start, end)).slice(1, -1));
  }
}
