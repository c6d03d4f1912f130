import { errorText, ToolError } from "@toolpacks/core";
import { RE2JS } from "re2js";

const maxPatternLength = 1_000;

/**
 * Compiles a regular expression in RE2 syntax. Matching takes linear time.
 *
 * @throws ToolError `invalid_input` that names the problem
 */
export function compilePattern(source: string): RE2JS {
  if (source.length > maxPatternLength) {
    throw new ToolError("invalid_input", `pattern: expected at most ${maxPatternLength} characters`);
  }
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const problem = errorText(error).replace(/^error parsing regexp: /, "");
    const hint = "RE2 syntax: no lookaround and no backreferences; (?i) ignores case; \\ before a special character.";
    throw new ToolError("invalid_input", `pattern: ${problem}`, hint);
  }
}
