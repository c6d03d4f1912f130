import type { SgNode } from "@ast-grep/wasm";
import { clip } from "@toolpacks/core";
import type { Language } from "./language.ts";
import { findEnclosing, findSymbols, hasOwners, type CodeSymbol, type NameFilter } from "./symbols.ts";

/** A line that uses a name. */
export interface CodeReference extends Omit<CodeSymbol, "kind"> {
  /** `use` in a file where the name is only that of variables or properties: nothing defines, imports or calls it. */
  readonly kind: "reference" | "use";
  readonly text: string;
}

interface ReferenceOptions extends Required<Pick<NameFilter, "name" | "owners">> {
  readonly source: string;
  readonly maxFound: number;
}

/**
 * Finds the definitions of a name and the lines that use it, in source order. Imports count only in a file that does not use the name otherwise.
 */
export function findReferences(
  root: SgNode,
  language: Language,
  { source, name, owners, maxFound }: ReferenceOptions,
): { readonly found: readonly (CodeSymbol | CodeReference)[]; readonly total: number } {
  const named = findSymbols(root, language, { name, exact: true }).filter((symbol) => symbol.name === name);
  const { lines: using, isVariable } = usingLines(root, language, { name, definitions: named });
  const all = [...named.filter((symbol) => hasOwners(symbol, owners)), ...using].sort((a, b) => lineOf(a) - lineOf(b));
  const found = all.slice(0, maxFound);
  const lines = found.filter((one) => typeof one === "number");
  const around = new Map(findEnclosing(root, language, lines).map((enclosing) => [enclosing.line, enclosing.name]));
  const texts = source.split("\n");
  const asReference = (line: number): CodeReference => {
    const enclosing = around.get(line);
    const text = clip((texts[line - 1] ?? "").trim(), maxShown);
    return { name, kind: isVariable ? "use" : "reference", line, endLine: line, in: enclosing, text };
  };
  return { found: found.map((one) => (typeof one === "number" ? asReference(one) : one)), total: all.length };
}

function lineOf(one: CodeSymbol | number): number {
  return typeof one === "number" ? one : one.line;
}

/** The numbers of the lines that use a name, and whether they only use variables or properties. */
function usingLines(
  root: SgNode,
  { identifiers, imports }: Language,
  { name, definitions }: { name: string; definitions: readonly CodeSymbol[] },
): { readonly lines: readonly number[]; readonly isVariable: boolean } {
  const regex = `^${name.replaceAll(/[^\p{L}\p{N}_]/gu, String.raw`\$&`)}$`;
  // The kinds come first, because a check of the text of every node is slow in nested code.
  const all = root.findAll({ rule: { all: [kindRule(identifiers), { regex }] } });
  const used = all.map((node) => ({ node, line: node.range().start.line + 1 }));
  const isInDefinition = covers(definitions);
  const references = used.filter(({ node, line }) => !isInDefinition(line) || !isNameOfParent(node));
  const imported = imports.length === 0 ? [] : root.findAll({ rule: kindRule(imports) });
  const isInImport = covers(
    imported.map((node) => node.range()).map(({ start, end }) => ({ line: start.line + 1, endLine: end.line + 1 })),
  );
  const outside = references.filter(({ line }) => !isInImport(line));
  const lines = [...new Set((outside.length > 0 ? outside : references).map(({ line }) => line))];
  const isNamed = definitions.length > 0 || outside.length < references.length;
  return { lines, isVariable: !isNamed && !outside.some(({ node }) => isCallOrType(node)) };
}

/** Whether a node is a type, or what a call names: `run` of `run()` and of `job.run()`. */
function isCallOrType(node: SgNode): boolean {
  const parent = node.parent();
  const isMember = parent?.children().at(-1)?.id() === node.id();
  const around = [parent?.kind(), isMember ? parent?.parent()?.kind() : ""].join(" ");
  return node.kind() === "type_identifier" || /call|invocation|creation|new_/.test(around);
}

function kindRule(kinds: readonly string[]) {
  return { any: kinds.map((kind) => ({ kind })) };
}

/** Returns whether any of some ranges of lines has a line. The ranges are in the order of their start, as are the lines that are asked. */
function covers(ranges: readonly Pick<CodeSymbol, "line" | "endLine">[]): (line: number) => boolean {
  let next = 0;
  let end = 0;
  return (line) => {
    for (let range = ranges[next]; range !== undefined && range.line <= line; range = ranges[next]) {
      end = Math.max(end, range.endLine);
      next += 1;
    }
    return line <= end;
  };
}

const nameFields = ["name", "declarator", "key"];

/** Whether a node is the name of what its parent defines. */
function isNameOfParent(node: SgNode): boolean {
  const parent = node.parent();
  const fields = parent?.kind() === "field_definition" ? ["property"] : nameFields;
  return fields.some((field) => parent?.field(field)?.id() === node.id());
}

/** Maximum length of a shown line. */
const maxShown = 300;
