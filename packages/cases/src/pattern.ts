import { RE2JS } from "re2js";

/** A regular expression of a case file, and how it was written. */
export interface Pattern {
  readonly written: string;
  /** Why a text does not match; undefined for one that does. */
  readonly mismatch: (text: string) => string | undefined;
}

const delimited = /^\/(.+)\/([dimsuv]*)$/s;
const maxCharacters = 1_000;

/** Instructions of the compiled expression times characters of the text. The time of a match is at most proportional to it. */
const maxSteps = 4_000_000;

const re2Flags = new Map([
  ["i", RE2JS.CASE_INSENSITIVE],
  ["m", RE2JS.MULTILINE],
  ["s", RE2JS.DOTALL],
]);

/**
 * Reads `/expression/flags`, or an expression alone, which then takes no notice of case. The syntax is RE2's, whose time is linear in the text: neither a
 * case file nor a model's answer can hold up the command.
 */
export function readPattern(written: string): Pattern | { readonly problem: string } {
  const [, source = written, flags = "i"] = delimited.exec(written) ?? [];
  if (source.length > maxCharacters)
    return { problem: `expected a regular expression of at most ${maxCharacters} characters` };
  try {
    const bits = flags.split("").reduce((all, flag) => all | (re2Flags.get(flag) ?? 0), 0);
    const expression = RE2JS.compile(RE2JS.translateRegExp(source), bits);
    const longest = Math.floor(maxSteps / expression.programSize());
    return {
      written,
      mismatch: (text) => {
        if (text.length > longest)
          return `it is too long to be matched by ${written}: expected at most ${longest} characters`;
        return expression.matcher(text).find() ? undefined : `it does not match ${written}`;
      },
    };
  } catch (error) {
    const cause = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    return {
      problem: `expected a regular expression (${cause}) in RE2's syntax, without lookaround and backreferences`,
    };
  }
}

/** What a text of `args` asks for: itself, unless it is written as `/expression/flags`. */
export function isDelimited(text: string): boolean {
  return delimited.test(text);
}
