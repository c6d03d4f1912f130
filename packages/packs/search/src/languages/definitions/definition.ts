import type { SgNode } from "@ast-grep/wasm";

/** The kind of a definition, the same for all languages. */
export type DefinitionKind =
  | "class"
  | "constant"
  | "constructor"
  | "enum"
  | "function"
  | "interface"
  | "macro"
  | "method"
  | "namespace"
  | "property"
  | "struct"
  | "trait"
  | "type"
  | "union"
  | "variable";

export interface Definition {
  /** Undefined for a block that has members, but defines nothing itself. */
  readonly kind: DefinitionKind | undefined;
  readonly name: string;
  /** The type that it is a member of, if the type does not enclose it. */
  readonly of?: string | undefined;
  /** The start of the object literal that it is a member of. Properties of an object without methods are data, not definitions. */
  readonly object?: number | undefined;
}

/** An object literal around a node: where it starts, and whether a function returns it or a variable has it. */
export interface ObjectLiteral {
  readonly start: number;
  readonly use: "returned" | "variable" | undefined;
}

/** Reads the definitions of a syntax node: usually one, sometimes several or none. The object literal is the innermost one around the node. */
export type ReadDefinition = (node: SgNode, literal?: ObjectLiteral) => readonly Definition[];

/** Functions that read definitions, by the kind of the syntax node. */
export type DefinitionRules = Readonly<Record<string, ReadDefinition>>;

/** How to find object literals that define members. */
export interface ObjectRules {
  /** The kind of an object literal. */
  readonly literal: string;
  /** By the kind of a node: reads the object literal that it returns or holds. */
  readonly holders: Readonly<Record<string, (node: SgNode) => HeldObject | undefined>>;
}

export interface HeldObject {
  readonly node: SgNode;
  readonly use: "returned" | "variable";
}

/** Reads a definition whose name is in the node's field `name`. */
export function named(kind: DefinitionKind): ReadDefinition {
  return (node) => {
    const name = node.field("name")?.text();
    return name === undefined ? [] : [{ kind, name }];
  };
}

/** Same as `named`, but only for a node with a body. Without a body it is a reference, not a definition. */
export function namedWithBody(kind: DefinitionKind): ReadDefinition {
  const read = named(kind);
  return (node) => (node.field("body") === undefined ? [] : read(node));
}
