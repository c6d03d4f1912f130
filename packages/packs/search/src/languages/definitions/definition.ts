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
}

/**
 * Reads the definitions of a syntax node: usually one, sometimes several or none.
 *
 * @param isMember whether the innermost object literal around the node is one that a function returns, or that a variable has
 */
export type ReadDefinition = (node: SgNode, isMember: boolean) => readonly Definition[];

/** Functions that read definitions, by the kind of the syntax node. */
export type DefinitionRules = Readonly<Record<string, ReadDefinition>>;

/** How to find object literals that define members. */
export interface ObjectRules {
  /** The kind of an object literal. */
  readonly literal: string;
  /** By the kind of a node: reads the object literal that it returns or holds. */
  readonly holders: Readonly<Record<string, (node: SgNode) => SgNode | undefined>>;
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
  return (node, isMember) => (node.field("body") === undefined ? [] : read(node, isMember));
}
