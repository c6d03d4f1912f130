import { parse, printParseErrorCode, type ParseError } from "jsonc-parser";
import { ConfigurationError } from "../configuration-error.ts";

/** JSON with comments and trailing commas. */
export function parseJsonc(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const before = text.slice(0, first.offset).split("\n");
  const position = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  throw new ConfigurationError(`${file}:${position}: not valid JSON (${printParseErrorCode(first.error)})`);
}
