import type { NapiConfig, SgNode } from "@ast-grep/napi";
import type { Language } from "../languages/language.ts";
import { metavariable } from "./pattern.ts";
import type { CodeMatch } from "./parser-task.ts";

/** Parses a source and returns its outermost node. */
export type Parse = (parser: string, source: string) => SgNode;

/**
 * What a pattern finds in one language. A call in C or Go reads as something else outside a function, so there the pattern
 * is also tried as it reads inside one.
 */
export function codeRule(pattern: string, { parser, around }: Language, parse: Parse): NapiConfig {
  if (around === undefined) return { rule: { pattern } };
  const [before, after] = around;
  const plain = pattern.replaceAll(metavariable, (name) => "x".repeat(name.length));
  const root = parse(parser, before + plain + after);
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

/** Finds all, each piece of code once, and shows the first of them. Throws what the parser says of a wrong pattern. */
export function findCode(
  root: SgNode,
  rule: NapiConfig,
  { source, maxFound }: { readonly source: string; readonly maxFound: number },
): { readonly found: readonly CodeMatch[]; readonly total: number } {
  const seen = new Set<string>();
  const found: CodeMatch[] = [];
  for (const node of root.findAll(rule)) {
    const { start, end } = node.range();
    const size = seen.size;
    if (seen.add(`${start.index}-${end.index}`).size === size || found.length >= maxFound) continue;
    // From the source: a node copies its text, and matches that enclose each other would copy it again and again.
    const text = shorten(source.slice(start.index, Math.min(end.index, start.index + maxRead)));
    found.push({ line: start.line + 1, endLine: end.line + 1, text });
  }
  return { found, total: seen.size };
}

/** How many characters of a match are shown, and how many of the source are read for that. */
const maxShown = 300;
const maxRead = 3_000;

function shorten(code: string): string {
  const line = code.replaceAll(/\s+/g, " ");
  const isWhole = line.length <= maxShown && code.length < maxRead;
  return isWhole ? line : `${line.slice(0, maxShown).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
