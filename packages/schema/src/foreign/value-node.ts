import { quoteName } from "../quote-name.ts";

/** A value inside the checked value, with the results of its checks. Each schema is evaluated at most once per node. */
export interface ValueNode {
  readonly value: unknown;
  readonly parent?: ValueNode;
  readonly key?: string | number;
  readonly depth: number;
  readonly results: Map<object, Result>;
  readonly children: Map<string | number, ValueNode>;
}

export interface Problem {
  readonly node: ValueNode;
  readonly message: string;
}

/** The result of checking a node with a schema. */
export interface Result {
  readonly problems: readonly Problem[];
  /** The keys that the schema evaluates, for `unevaluatedProperties` and `unevaluatedItems`. */
  readonly evaluated: ReadonlySet<string | number>;
}

export function rootNode(value: unknown): ValueNode {
  return { value, depth: 0, results: new Map(), children: new Map() };
}

export function childOf(parent: ValueNode, key: string | number): ValueNode {
  const known = parent.children.get(key);
  if (known !== undefined) return known;
  const value = (parent.value as Readonly<Record<string | number, unknown>>)[key];
  const child = { value, parent, key, depth: parent.depth + 1, results: new Map(), children: new Map() };
  parent.children.set(key, child);
  return child;
}

/** The path of a node, such as `owner.logins[2]`. Empty at the root. */
export function pathOf({ parent, key }: ValueNode): string {
  if (parent === undefined || key === undefined) return "";
  const before = pathOf(parent);
  if (typeof key === "number") return `${before}[${key}]`;
  return before === "" ? quoteName(key) : `${before}.${quoteName(key)}`;
}
