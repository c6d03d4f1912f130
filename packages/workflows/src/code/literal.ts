import type { AnyNode } from "acorn";
import type { CodeUse } from "./protocol.ts";

/** Stands for a value that is not known. Not null, which would count as absent. */
const unknown = "?";

/** What is known of an argument before the script runs. Undefined: nothing. */
export function literalOf(node: AnyNode | undefined): CodeUse["args"] {
  const pending: string[][] = [];
  const value = node === undefined ? {} : read(node, [], pending);
  return pending.some(({ length }) => length === 0) ? undefined : { value, pending };
}

function read(node: AnyNode | null, at: readonly string[], pending: string[][]): unknown {
  if (node?.type === "ArrayExpression")
    return node.elements.map((one, index) => read(one, [...at, String(index)], pending));
  const fields = node?.type === "ObjectExpression" ? node.properties.map((one) => fieldOf(one)) : [undefined];
  if (fields.every((field) => field !== undefined))
    return Object.fromEntries(fields.map(([name, value]) => [name, read(value, [...at, name], pending)]));
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? "";
  if (node?.type === "UnaryExpression" && node.operator === "-" && node.argument.type === "Literal")
    return -Number(node.argument.value);
  const value = node?.type === "Literal" ? node.value : undefined;
  // A handle stands for a value of any type.
  const isHandle = typeof value === "string" && value.startsWith("relay://");
  if (value === null || (["string", "number", "boolean"].includes(typeof value) && !isHandle)) return value;
  pending.push([...at]);
  return unknown;
}

/** A field of an object or a pattern. Undefined if its name is known only when the script runs. */
export function fieldOf(property: AnyNode): readonly [name: string, value: AnyNode] | undefined {
  if (property.type !== "Property") return undefined;
  const name = nameOf(property.key, property.computed);
  return name === undefined || name === "__proto__" ? undefined : [name, property.value];
}

/** The name of a field. Undefined if it is known only when the script runs. */
export function nameOf(key: AnyNode, isComputed: boolean): string | undefined {
  if (key.type === "Identifier") return isComputed ? undefined : key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}
