import type { RE2JS } from "re2js";

/** A regular expression whose time is linear in the text. */
export interface Pattern {
  test(text: string): boolean;
  /** Instructions of the compiled expression: the cost of one character is at most proportional to it. */
  readonly size: number;
}

/** Finds the compiled form of a pattern; undefined for one that cannot be checked. */
export type Patterns = (source: string) => Pattern | undefined;

const maxPatternCharacters = 1_000;
const maxDocumentNodes = 100_000;
/** Instructions of all compiled patterns of a document together. Later patterns are not checked. */
const maxInstructions = 100_000;
/** What a pattern that RE2 refuses counts as: it was compiled in part. */
const refusedInstructions = 1_000;

/**
 * Compiles a document's patterns with RE2, at their first use. RE2 is loaded only where the document has patterns. A pattern that RE2
 * does not take (lookaround, backreferences, over 1,000 characters) is not checked: the server that wrote it checks its own arguments. The same
 * holds for patterns beyond 100,000 instructions in one document.
 */
export async function loadPatterns(document: unknown): Promise<Patterns> {
  if (!hasPatterns(document)) return () => undefined;
  const { RE2JS } = await import("re2js");
  const compiled = new Map<string, Pattern | undefined>();
  let instructions = 0;
  return (source) => {
    if (compiled.has(source)) return compiled.get(source);
    if (instructions >= maxInstructions) return undefined;
    const pattern = compile(RE2JS, source);
    instructions += pattern?.size ?? refusedInstructions;
    compiled.set(source, pattern);
    return pattern;
  };
}

function compile(engine: typeof RE2JS, source: string): Pattern | undefined {
  if (source.length > maxPatternCharacters) return undefined;
  try {
    const expression = engine.compile(engine.translateRegExp(source));
    return { test: (text) => expression.matcher(text).find(), size: expression.programSize() };
  } catch {
    return undefined;
  }
}

function hasPatterns(document: unknown): boolean {
  const open: unknown[] = [document];
  for (let seen = 0; open.length > 0 && seen < maxDocumentNodes; seen += 1) {
    const next = open.pop();
    if (next === null || typeof next !== "object") continue;
    if (!Array.isArray(next) && ("pattern" in next || "patternProperties" in next)) return true;
    for (const inner of Object.values(next)) if (inner !== null && typeof inner === "object") open.push(inner);
  }
  return false;
}
