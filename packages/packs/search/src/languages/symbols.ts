import type { SgNode } from "@ast-grep/wasm";
import { clip, visibleText } from "@toolpacks/core";
import type { Definition, DefinitionKind } from "./definitions/definition.ts";
import type { Language } from "./language.ts";
import { trackObjects } from "./object-literals.ts";

export interface CodeSymbol {
  readonly name: string;
  readonly kind: DefinitionKind;
  /** The first and the last line, from 1. */
  readonly line: number;
  readonly endLine: number;
  /** The enclosing definitions, outermost first, joined by dots. */
  readonly in?: string;
  /** Whether it is inside a function. Members of objects and classes are not local. */
  readonly isLocal?: boolean;
}

interface Enclosing extends Definition {
  /** The name with the names of the enclosing definitions. */
  readonly qualified: string;
  readonly end: number;
}

export interface NameFilter {
  /** A part of the name in lower case, or the whole name. */
  readonly name?: string;
  /** The names of the innermost owners, in lower case. */
  readonly owners?: readonly string[];
  /** Whether the name is whole. Then the members of a type with this name are found, too. */
  readonly exact?: boolean;
}

export interface EnclosingSymbol {
  readonly line: number;
  /** The name with the names of its owners. */
  readonly name: string;
}

/** Kinds whose members are listed with them, and whose functions are methods. */
const typeKinds = new Set<DefinitionKind>(["class", "struct", "union", "trait", "interface", "enum"]);
const functionKinds = new Set<DefinitionKind | undefined>(["function", "method", "constructor"]);

/** Finds the definitions below a node that match a name, in source order. */
export function findSymbols(
  root: SgNode,
  language: Language,
  { name, owners = [], exact = false }: NameFilter,
): readonly CodeSymbol[] {
  const symbols = symbolsOf(root, language).map(shorten);
  if (name === undefined) return symbols;
  const isNamed = (symbol: CodeSymbol) => {
    if (exact ? symbol.name !== name : !symbol.name.toLowerCase().includes(name)) return false;
    return hasOwners(symbol, owners);
  };
  const named = symbols.filter(isNamed);
  if (!exact) return named;
  const types = new Set(named.filter(({ kind }) => typeKinds.has(kind)).map(qualifiedName));
  return symbols.filter((symbol) => isNamed(symbol) || (symbol.in !== undefined && types.has(symbol.in)));
}

/** Whether a symbol's innermost owners have these names, in lower case. */
export function hasOwners({ in: around = "" }: CodeSymbol, owners: readonly string[]): boolean {
  const actual = around.toLowerCase().split(".");
  return owners.every((part, at) => actual[actual.length - owners.length + at] === part);
}

/** Finds the innermost definition around each line. The definition's own first line is not inside it. */
export function findEnclosing(root: SgNode, language: Language, lines: readonly number[]): readonly EnclosingSymbol[] {
  if (lines.length === 0) return [];
  const symbols = symbolsOf(root, language).filter(({ line, endLine }) => endLine > line);
  return lines.flatMap((line) => {
    // Symbols are in source order, so the last one around a line is the innermost.
    const around = symbols.findLast((symbol) => symbol.line < line && line <= symbol.endLine);
    return around === undefined ? [] : [{ line, name: qualifiedName(shorten(around)) }];
  });
}

function qualifiedName({ name, in: around }: CodeSymbol): string {
  return around === undefined ? name : `${around}.${name}`;
}

/** Maximum length of a shown name, and of its owners' names. */
const maxShown = 300;

/** Names are cut, and on one line: a source may have line breaks in them. */
function shorten({ name, in: around, ...symbol }: CodeSymbol): CodeSymbol {
  const owner = around !== undefined && around.length > maxShown ? `…${around.slice(-maxShown)}` : around;
  return {
    ...symbol,
    name: visibleText(clip(name, maxShown)),
    ...(owner !== undefined && { in: visibleText(owner) }),
  };
}

function symbolsOf(root: SgNode, { definitions, objects }: Language): readonly CodeSymbol[] {
  const tracked = objects === undefined ? [] : [objects.literal, ...Object.keys(objects.holders)];
  const kinds = [...new Set([...Object.keys(definitions), ...tracked])].map((kind) => ({ kind }));
  const isInHeldObject = objects && trackObjects(objects);
  const symbols: CodeSymbol[] = [];
  const enclosing: Enclosing[] = [];
  const lines = root.text().split("\n");
  for (const node of root.findAll({ rule: { any: kinds } })) {
    const { start, end } = node.range();
    while (enclosing.length > 0 && (enclosing.at(-1)?.end ?? 0) <= start.index) enclosing.pop();
    const kind = node.kind();
    const isMember = isInHeldObject?.(node, kind, { start: start.index, end: end.index }) ?? false;
    const found = definitions[kind]?.(node, isMember) ?? [];
    for (const definition of found) {
      if (definition.kind === undefined) continue;
      const around = qualify(enclosing.at(-1)?.qualified, definition.of);
      const ownKind = memberKind(definition, enclosing.at(-1)) ?? definition.kind;
      // A callback is no definition, so that only the indentation tells that something is in it.
      const isIndented = around === undefined && /^\s/.test(lines[start.line] ?? "");
      const isInside = isIndented || enclosing.some((one) => functionKinds.has(one.kind));
      symbols.push({
        name: definition.name,
        kind: ownKind,
        isLocal: isInside && ownKind !== "method" && ownKind !== "constructor",
        line: start.line + 1,
        endLine: end.line + (end.column === 0 && end.line > start.line ? 0 : 1),
        in: around,
      });
    }
    const [first] = found;
    if (first !== undefined) {
      const qualified = qualify(enclosing.at(-1)?.qualified, first.name) ?? first.name;
      enclosing.push({ ...first, qualified, end: end.index });
    }
  }
  return symbols;
}

function qualify(around: string | undefined, name: string | undefined): string | undefined {
  return around === undefined || name === undefined ? (around ?? name) : `${around}.${name}`;
}

/** The kind of a member. A function directly inside a type is a method, or a constructor if it has the type's name. */
function memberKind({ kind, name }: Definition, owner: Enclosing | undefined): DefinitionKind | undefined {
  if (kind !== "function" || owner === undefined) return kind;
  if (owner.kind !== undefined && !typeKinds.has(owner.kind)) return kind;
  return name === owner.name ? "constructor" : "method";
}
