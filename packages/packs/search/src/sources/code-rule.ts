import type { NapiConfig, SgNode } from "@ast-grep/napi";
import { ToolError } from "@toolpacks/core";
import type { Language } from "../languages/language.ts";
import type { Parse } from "../languages/parser.ts";

const metavariable = /\$\$\$[A-Z_]?[A-Z0-9_]*|\$[A-Z_][A-Z0-9_]*/g;

/**
 * What a pattern finds in one language. A call in C or Go reads as something else outside a function, so there the pattern
 * is also tried as it reads inside one.
 */
export async function codeRule(pattern: string, { parser, around }: Language, parse: Parse): Promise<NapiConfig> {
  if (around === undefined) return { rule: { pattern } };
  const [before, after] = around;
  const plain = pattern.replaceAll(metavariable, (name) => "x".repeat(name.length));
  const root = await parse(parser, before + plain + after);
  const selector = innermost(root, { start: before.length, end: before.length + plain.length });
  if (selector === undefined) return { rule: { pattern } };
  return { rule: { any: [{ pattern }, { pattern: { context: before + pattern + after, selector } }] } };
}

/** The kind of the innermost named node that is just this part of the source: a call, and not the statement of only it. */
function innermost(root: SgNode, part: { readonly start: number; readonly end: number }): string | undefined {
  let kind: string | undefined;
  let node: SgNode | undefined = root;
  while (node !== undefined) {
    const { start, end } = node.range();
    if (start.index === part.start && end.index === part.end) kind = String(node.kind());
    node = node.namedChildren().find((child) => {
      const range = child.range();
      return range.start.index <= part.start && range.end.index >= part.end;
    });
  }
  return kind === "ERROR" ? undefined : kind;
}

/** Finds all, each piece of code once, or says what is wrong with the pattern. */
export function findCode(root: SgNode, rule: NapiConfig): readonly SgNode[] {
  try {
    const found = root.findAll(rule);
    const seen = new Set<string>();
    return found.filter((node) => {
      const { start, end } = node.range();
      const place = `${start.index}-${end.index}`;
      return !seen.has(place) && seen.add(place);
    });
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split("|->").at(-1) ?? "") : String(error);
    // The parser sees another character in place of each $.
    throw new ToolError("invalid_input", `pattern: ${problem.trim().replaceAll(/[µ\u{10000}]/gu, "$")}`, patternHint);
  }
}

export const patternHint =
  "A pattern is one whole piece of code, in which $NAME stands for one node and $$$ for any number: await $F($$$).";

/** The longest word that every match holds as it is: files without it need not be parsed. */
export function wordOf(pattern: string): string | undefined {
  const words = pattern.replaceAll(metavariable, " ").match(/[A-Za-z_][A-Za-z0-9_]+/g) ?? [];
  return words.toSorted((a, b) => b.length - a.length)[0];
}
