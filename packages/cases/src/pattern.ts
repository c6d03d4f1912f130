import { errorText } from "@toolpacks/core";
import { RE2JS } from "re2js";

/** A regular expression of a case file, with its source text. */
export interface Pattern {
  readonly written: string;
  /** The reason why a text does not match; undefined when it matches. */
  readonly mismatch: (text: string) => string | undefined;
}

const delimited = /^\/(.+)\/([dimsuv]*)$/s;
const maxCharacters = 1_000;

/** Maximum of program size × text length. The time of a match is proportional to this product. */
const maxSteps = 4_000_000;

const re2Flags = new Map([
  ["i", RE2JS.CASE_INSENSITIVE],
  ["m", RE2JS.MULTILINE],
  ["s", RE2JS.DOTALL],
]);

/**
 * Reads `/expression/flags`, or a bare expression, which ignores case. The syntax is RE2's, whose matching time is linear, so neither a case file
 * nor a model's answer can block the command.
 */
export function readPattern(written: string): Pattern | { readonly problem: string } {
  const [, source = written, flags = "i"] = delimited.exec(written) ?? [];
  if (source.length > maxCharacters)
    return { problem: `expected a regular expression of at most ${maxCharacters} characters` };
  try {
    const bits = flags.split("").reduce((all, flag) => all | (re2Flags.get(flag) ?? 0), 0);
    const expression = RE2JS.compile(RE2JS.translateRegExp(source), bits);
    const maxLength = Math.floor(maxSteps / expression.programSize());
    return {
      written,
      mismatch: (text) => {
        if (text.length > maxLength)
          return `it is too long to be matched by ${written}: expected at most ${maxLength} characters`;
        return expression.matcher(text).find() ? undefined : `it does not match ${written}`;
      },
    };
  } catch (error) {
    const cause = errorText(error).replace(/^error parsing regexp: /, "");
    return {
      problem: `expected a regular expression (${cause}) in RE2's syntax, without lookaround and backreferences`,
    };
  }
}

/** Whether a text in `args` is a pattern `/expression/flags`. Any other text must be equal. */
export function isDelimited(text: string): boolean {
  return delimited.test(text);
}
