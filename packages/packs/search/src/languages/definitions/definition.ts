import type { SgNode } from "@ast-grep/napi";

/** What a definition is, in words that mean the same in every language. */
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
  /** Undefined for a block that others are members of, and that defines nothing itself. */
  readonly kind: DefinitionKind | undefined;
  readonly name: string;
  /** The type of which it is a member, where that does not enclose it. */
  readonly of?: string | undefined;
}

/** The definitions in one node, most often one; none where it only looks like one. */
export type ReadDefinition = (node: SgNode) => readonly Definition[];

/** How to read definitions, by the kind of a syntax node. */
export type DefinitionRules = Readonly<Record<string, ReadDefinition>>;

/** A node whose field `name` names it. */
export function named(kind: DefinitionKind): ReadDefinition {
  return (node) => {
    const name = node.field("name")?.text();
    return name === undefined ? [] : [{ kind, name }];
  };
}

/** As `named`, where the node has a body: without one it is only mentioned. */
export function namedWithBody(kind: DefinitionKind): ReadDefinition {
  const read = named(kind);
  return (node) => (node.field("body") === null ? [] : read(node));
}
