import type { SgNode } from "@ast-grep/wasm";
import { named, type DefinitionKind, type DefinitionRules, type ReadDefinition } from "./definition.ts";

const typeKinds: Readonly<Record<string, DefinitionKind>> = { struct_type: "struct", interface_type: "interface" };

const type: ReadDefinition = (node) => {
  const name = node.field("name")?.text();
  return name === undefined ? [] : [{ kind: typeKinds[String(node.field("type")?.kind())] ?? "type", name }];
};

const method: ReadDefinition = (node) => {
  const name = node.field("name")?.text();
  const receiver = node
    .field("receiver")
    ?.find({ rule: { kind: "type_identifier" } })
    ?.text();
  return name === undefined ? [] : [{ kind: "method", name, of: receiver }];
};

/** Reads constants or variables of the package. One declaration may have several names. Local ones are left out. */
function values(kind: DefinitionKind): ReadDefinition {
  return (node) => (isPackageLevel(node) ? namesOf(node).map((name) => ({ kind, name })) : []);
}

function namesOf(node: SgNode): readonly string[] {
  return node
    .fieldChildren("name")
    .filter((child) => child.kind() === "identifier")
    .map((child) => child.text())
    .filter((name) => name !== "_");
}

function isPackageLevel(node: SgNode): boolean {
  const lists = new Set(["const_declaration", "var_declaration", "var_spec_list"]);
  let around = node.parent();
  while (around !== undefined && lists.has(around.kind())) around = around.parent();
  return around?.kind() === "source_file";
}

export const go: DefinitionRules = {
  function_declaration: named("function"),
  method_declaration: method,
  method_elem: named("method"),
  type_spec: type,
  type_alias: named("type"),
  const_spec: values("constant"),
  var_spec: values("variable"),
};
