import type { RE2JS } from "re2js";
import type { JsonSchema } from "./json-schema.ts";

/** Whether a text matches a pattern, and the number of steps that it took: one per 50 comparisons. */
export type MatchesPattern = (source: string, text: string) => { readonly isMatch: boolean; readonly steps: number };

const maxPatternCharacters = 1_000;
const comparisonsPerStep = 50;
/** Maximum number of instructions of all patterns of a schema. Patterns beyond it are not checked. */
const maxInstructions = 100_000;
/** Number of instructions that a pattern counts as if RE2 rejects it. */
const refusedInstructions = 1_000;

/**
 * Compiles the patterns of a schema with RE2, which runs in linear time, each at its first use. A text matches a pattern that RE2 rejects (lookaround,
 * backreferences, over 1,000 characters).
 */
export async function loadPatterns(schema: JsonSchema): Promise<MatchesPattern> {
  // RE2 is loaded only for a schema that has patterns.
  if (!JSON.stringify(schema).includes('"pattern":')) return () => ({ isMatch: true, steps: 0 });
  const { RE2JS } = await import("re2js");
  const compiled = new Map<string, RE2JS | undefined>();
  let instructions = 0;
  return (source, text) => {
    if (!compiled.has(source) && instructions < maxInstructions) {
      const pattern = compile(RE2JS, source);
      instructions += pattern?.programSize() ?? refusedInstructions;
      compiled.set(source, pattern);
    }
    const pattern = compiled.get(source);
    if (pattern === undefined) return { isMatch: true, steps: 1 };
    const steps = Math.ceil((text.length * pattern.programSize()) / comparisonsPerStep);
    return { isMatch: pattern.matcher(text).find(), steps };
  };
}

function compile(engine: typeof RE2JS, source: string): RE2JS | undefined {
  if (source.length > maxPatternCharacters) return undefined;
  try {
    return engine.compile(engine.translateRegExp(source));
  } catch {
    return undefined;
  }
}
