import { named, type DefinitionRules } from "./definition.ts";

export const java: DefinitionRules = {
  class_declaration: named("class"),
  record_declaration: named("class"),
  interface_declaration: named("interface"),
  annotation_type_declaration: named("interface"),
  enum_declaration: named("enum"),
  method_declaration: named("method"),
  constructor_declaration: named("constructor"),
  compact_constructor_declaration: named("constructor"),
};
