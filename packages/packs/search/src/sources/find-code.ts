import type { SgNode } from "@ast-grep/wasm";
import type { Language } from "../languages/language.ts";
import type { Parsers } from "../languages/load-parsers.ts";
import { metavariable } from "./pattern.ts";
import type { CodeMatch } from "./parser-task.ts";

/**
 * Creates the rule for a pattern in one language. In C and Go, a call parses differently outside a function. So for these the rule also matches the
 * pattern as it parses inside a function.
 */
export function codeRule(pattern: string, { parser, functionWrapper }: Language, parse: Parsers["parse"]): object {
  if (functionWrapper === undefined) return { pattern };
  const [before, after] = functionWrapper;
  const plain = pattern.replaceAll(metavariable, (name) => "x".repeat(name.length));
  const root = parse(parser, before + plain + after);
  const selector = innermost(root, { start: before.length, end: before.length + plain.length });
  if (selector === undefined) return { pattern };
  return { any: [{ pattern }, { pattern: { context: before + pattern + after, selector } }] };
}

/** The kind of the innermost named node with exactly this range: a call rather than the statement around it. */
function innermost(root: SgNode, part: { readonly start: number; readonly end: number }): string | undefined {
  let kind: string | undefined;
  let node: SgNode | undefined = root;
  while (node !== undefined) {
    const { start, end } = node.range();
    if (start.index === part.start && end.index === part.end) kind = node.kind();
    node = node.namedChildren().find((child) => {
      const range = child.range();
      return range.start.index <= part.start && range.end.index >= part.end;
    });
  }
  return kind === "ERROR" ? undefined : kind;
}

/** Counts all matches, each range once, and returns the first ones. Throws the parser's error for an invalid pattern. */
export function findCode(
  root: SgNode,
  rule: object,
  { source, maxFound }: { readonly source: string; readonly maxFound: number },
): { readonly found: readonly CodeMatch[]; readonly total: number } {
  const seen = new Set<string>();
  const found: CodeMatch[] = [];
  for (const node of root.findAll({ rule })) {
    const { start, end } = node.range();
    const size = seen.size;
    if (seen.add(`${start.index}-${end.index}`).size === size || found.length >= maxFound) continue;
    // Slice the source: `node.text()` copies the whole text, which is slow for nested matches.
    const text = shorten(source.slice(start.index, Math.min(end.index, start.index + maxRead)));
    found.push({ line: start.line + 1, endLine: end.line + 1, text });
  }
  return { found, total: seen.size };
}

/** Maximum length of a shown match, and of the source that is read for it. */
const maxShown = 300;
const maxRead = 3_000;

function shorten(code: string): string {
  const line = code.replaceAll(/\s+/g, " ");
  const isWhole = line.length <= maxShown && code.length < maxRead;
  return isWhole ? line : `${line.slice(0, maxShown).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
