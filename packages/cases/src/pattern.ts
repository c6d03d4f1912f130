/** A regular expression of a case file, and how it was written. */
export interface Pattern {
  readonly written: string;
  readonly expression: RegExp;
}

const delimited = /^\/(.+)\/([dimsuv]*)$/s;

/** Reads `/expression/flags`, or an expression alone, which then takes no notice of case. */
export function readPattern(written: string): Pattern | { readonly problem: string } {
  const [, source = written, flags = "i"] = delimited.exec(written) ?? [];
  try {
    return { written, expression: new RegExp(source, flags) };
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return { problem: `expected a regular expression (${cause})` };
  }
}

/** What a text of `args` asks for: itself, unless it is written as `/expression/flags`. */
export function isDelimited(text: string): boolean {
  return delimited.test(text);
}
