import { named, type DefinitionRules, type ReadDefinition } from "./definition.ts";

/** Reads an `impl` block. Its functions are members of the type. */
const implementation: ReadDefinition = (node) => {
  const type = node.field("type");
  const name = (type?.kind() === "generic_type" ? type.field("type") : type)?.text();
  return name === undefined ? [] : [{ kind: undefined, name }];
};

export const rust: DefinitionRules = {
  function_item: named("function"),
  function_signature_item: named("function"),
  struct_item: named("struct"),
  enum_item: named("enum"),
  union_item: named("union"),
  trait_item: named("trait"),
  impl_item: implementation,
  mod_item: named("namespace"),
  type_item: named("type"),
  const_item: named("constant"),
  static_item: named("constant"),
  macro_definition: named("macro"),
};
