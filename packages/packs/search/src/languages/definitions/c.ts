import type { SgNode } from "@ast-grep/wasm";
import { named, namedWithBody, type DefinitionRules, type ReadDefinition } from "./definition.ts";

/** Finds the name inside nested declarators of pointers, references, parameters and arrays. */
export function declaredName(node: SgNode): SgNode | undefined {
  let declarator = node.field("declarator");
  for (;;) {
    if (declarator === undefined) return undefined;
    const inner: SgNode | undefined = declarator.field("declarator") ?? wrapped(declarator);
    if (inner === undefined) return declarator;
    declarator = inner;
  }
}

/** The declarator inside a parenthesized or reference declarator, for which the grammar has no field. */
function wrapped(declarator: SgNode): SgNode | undefined {
  const wraps = ["parenthesized_declarator", "reference_declarator"].includes(declarator.kind());
  return wraps ? declarator.namedChildren()[0] : undefined;
}

const definedFunction: ReadDefinition = (node) => {
  const name = declaredName(node);
  return name?.kind() === "identifier" ? [{ kind: "function", name: name.text() }] : [];
};

const typeDefinition: ReadDefinition = (node) => {
  const name = declaredName(node);
  return name === undefined ? [] : [{ kind: "type", name: name.text() }];
};

export const c: DefinitionRules = {
  function_definition: definedFunction,
  struct_specifier: namedWithBody("struct"),
  union_specifier: namedWithBody("union"),
  enum_specifier: namedWithBody("enum"),
  type_definition: typeDefinition,
  preproc_function_def: named("macro"),
};
