import type { SgNode } from "@ast-grep/napi";

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

/** Reads the definitions of a syntax node: usually one, sometimes several or none. */
export type ReadDefinition = (node: SgNode) => readonly Definition[];

/** Functions that read definitions, by the kind of the syntax node. */
export type DefinitionRules = Readonly<Record<string, ReadDefinition>>;

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
  return (node) => (node.field("body") === null ? [] : read(node));
}
