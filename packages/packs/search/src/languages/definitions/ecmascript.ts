import type { SgNode } from "@ast-grep/napi";
import { named, type DefinitionRules, type ReadDefinition } from "./definition.ts";

const functions = new Set(["arrow_function", "function_expression", "generator_function"]);

/** Reads a variable whose value is a function or a class, or a constant of the module. */
const variable: ReadDefinition = (node) => {
  const name = node.field("name");
  if (name === null || name.kind() !== "identifier") return [];
  const value = node.field("value");
  const holds = String(value?.kind() ?? "");
  if (functions.has(holds)) return [{ kind: "function", name: name.text() }];
  if (holds === "class") return [{ kind: "class", name: name.text() }];
  return isModuleConstant(node) ? [{ kind: "constant", name: name.text() }] : [];
};

function isModuleConstant(declarator: SgNode): boolean {
  const declaration = declarator.parent();
  if (declaration?.field("kind")?.text() !== "const") return false;
  const around = declaration.parent();
  const scope = around?.kind() === "export_statement" ? around.parent() : around;
  return scope?.kind() === "program";
}

const field: ReadDefinition = (node) => {
  const name = node.field("name") ?? node.field("property");
  const value = String(node.field("value")?.kind() ?? "");
  return name !== null && functions.has(value) ? [{ kind: "method", name: name.text() }] : [];
};

const method: ReadDefinition = (node) => {
  const name = node.field("name")?.text();
  if (name === undefined) return [];
  return [{ kind: name === "constructor" ? "constructor" : "method", name }];
};

export const javascript: DefinitionRules = {
  class_declaration: named("class"),
  function_declaration: named("function"),
  generator_function_declaration: named("function"),
  method_definition: method,
  field_definition: field,
  variable_declarator: variable,
};

export const typescript: DefinitionRules = {
  class_declaration: named("class"),
  abstract_class_declaration: named("class"),
  interface_declaration: named("interface"),
  type_alias_declaration: named("type"),
  enum_declaration: named("enum"),
  internal_module: named("namespace"),
  module: named("namespace"),
  function_declaration: named("function"),
  generator_function_declaration: named("function"),
  function_signature: named("function"),
  method_definition: method,
  abstract_method_signature: named("method"),
  method_signature: named("method"),
  public_field_definition: field,
  variable_declarator: variable,
};
