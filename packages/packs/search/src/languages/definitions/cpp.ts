import type { SgNode } from "@ast-grep/wasm";
import { c, declaredName } from "./c.ts";
import { named, namedWithBody, type Definition, type DefinitionRules, type ReadDefinition } from "./definition.ts";

const definedFunction: ReadDefinition = (node) => {
  const declared = declaredName(node);
  if (declared === undefined) return [];
  const { name, of } = unqualify(declared);
  if (name === undefined) return [];
  return [{ kind: kindOf(name, of), name, of }];
};

/** The kind of a function by its qualified name: `Shape::Shape` is a constructor. Without `::`, `findSymbols` decides by the enclosing type. */
function kindOf(name: string, of: string | undefined): Definition["kind"] {
  if (of === undefined) return "function";
  return of.split(".").at(-1) === name ? "constructor" : "method";
}

/** Splits a qualified name: `a::b::c` is `c` of `a.b`. Template arguments are left out. */
function unqualify(declared: SgNode): { readonly name: string | undefined; readonly of: string | undefined } {
  const scopes: string[] = [];
  let node: SgNode | undefined = declared;
  while (node?.kind() === "qualified_identifier") {
    const scope: SgNode | undefined = node.field("scope");
    if (scope !== undefined) scopes.push((scope.field("name") ?? scope).text());
    node = node.field("name");
  }
  const name = node?.kind() === "template_function" ? node.field("name")?.text() : node?.text();
  return { name: name?.replaceAll(/\s+/g, " "), of: scopes.length === 0 ? undefined : scopes.join(".") };
}

export const cpp: DefinitionRules = {
  ...c,
  function_definition: definedFunction,
  class_specifier: namedWithBody("class"),
  namespace_definition: named("namespace"),
  alias_declaration: named("type"),
  concept_definition: named("type"),
};
