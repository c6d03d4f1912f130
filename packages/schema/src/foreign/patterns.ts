import type { RE2JS } from "re2js";

/** A regular expression that runs in linear time. */
export interface Pattern {
  test(text: string): boolean;
  /** Number of instructions of the compiled expression. The time per character is at most proportional to it. */
  readonly size: number;
}

/** Returns the compiled form of a pattern. Undefined for a pattern that cannot be checked. */
export type Patterns = (source: string) => Pattern | undefined;

const maxPatternCharacters = 1_000;
const maxDocumentNodes = 100_000;
/** Maximum number of instructions of all patterns of a document. Patterns beyond it are not checked. */
const maxInstructions = 100_000;
/** Number of instructions that a pattern counts as if RE2 rejects it. */
const refusedInstructions = 1_000;

/**
 * Compiles the patterns of a document with RE2, each at its first use. RE2 is loaded only if the document has patterns. A pattern that RE2 rejects
 * (lookaround, backreferences, over 1,000 characters) is not checked, because the server of the schema checks its own arguments. Patterns beyond
 * 100,000 instructions per document are not checked either.
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
