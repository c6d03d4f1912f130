import type { SgNode } from "@ast-grep/wasm";
import { named, type DefinitionRules, type ObjectRules, type ReadDefinition } from "./definition.ts";

const functions = new Set(["arrow_function", "function_expression", "generator_function"]);

/** Reads a variable whose value is a function or a class, or a constant of the module. */
const variable: ReadDefinition = (node) => {
  const name = node.field("name");
  if (name === undefined || name.kind() !== "identifier") return [];
  const value = node.field("value");
  const holds = value?.kind() ?? "";
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
  const value = node.field("value")?.kind() ?? "";
  return name !== undefined && functions.has(value) ? [{ kind: "method", name: name.text() }] : [];
};

const method: ReadDefinition = (node) => {
  const name = node.field("name")?.text();
  return name === undefined ? [] : [{ kind: name === "constructor" ? "constructor" : "method", name }];
};

/** Kinds of nodes between the type of a declaration and its members. In other places, such as a return type, a signature defines nothing. */
const typeParts = new Set([
  "class_body",
  "generic_type",
  "interface_body",
  "intersection_type",
  "object_type",
  "parenthesized_type",
  "type_arguments",
  "union_type",
]);
const typeDeclarations = new Set([
  "abstract_class_declaration",
  "class",
  "class_declaration",
  "interface_declaration",
  "type_alias_declaration",
]);

const signature: ReadDefinition = (node, isMember) => {
  let around = node.parent();
  while (around !== undefined && typeParts.has(around.kind())) around = around.parent();
  return around !== undefined && typeDeclarations.has(around.kind()) ? named("method")(node, isMember) : [];
};

/** Reads a member of an object that a function returns, or that a variable has: `{ open: () => file }`. */
const pair: ReadDefinition = (node, isMember) => {
  const key = node.field("key");
  if (key === undefined || !isMember || !functions.has(node.field("value")?.kind() ?? "")) return [];
  return [{ kind: "method", name: key.kind() === "string" ? key.text().slice(1, -1) : key.text() }];
};

const wrappers = new Set(["as_expression", "parenthesized_expression", "satisfies_expression"]);

function held(value: SgNode | undefined): SgNode | undefined {
  let node = value;
  while (node && wrappers.has(node.kind())) node = firstExpression(node);
  return node?.kind() === "object" ? node : undefined;
}

function firstExpression(node: SgNode): SgNode | undefined {
  return node.namedChildren().find((child) => child.kind() !== "comment");
}

/** Object literals that a function returns, or that are the value of a variable. */
export const objects: ObjectRules = {
  literal: "object",
  holders: {
    return_statement: (node) => held(firstExpression(node)),
    arrow_function: (node) => held(node.field("body")),
    variable_declarator: (node) => held(node.field("value")),
  },
};

const script: DefinitionRules = {
  class_declaration: named("class"),
  function_declaration: named("function"),
  generator_function_declaration: named("function"),
  method_definition: method,
  pair,
  variable_declarator: variable,
};

export const javascript: DefinitionRules = { ...script, field_definition: field };

export const typescript: DefinitionRules = {
  ...script,
  abstract_class_declaration: named("class"),
  interface_declaration: named("interface"),
  type_alias_declaration: named("type"),
  enum_declaration: named("enum"),
  internal_module: named("namespace"),
  module: named("namespace"),
  function_signature: named("function"),
  abstract_method_signature: named("method"),
  method_signature: signature,
  public_field_definition: field,
};
