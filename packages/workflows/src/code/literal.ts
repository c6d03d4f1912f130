import type { AnyNode } from "acorn";
import type { CodeUse } from "./protocol.ts";

/** What is known of an argument before the script runs. Undefined: nothing. */
export function literalOf(node: AnyNode | undefined): CodeUse["args"] {
  if (node === undefined) return { value: {}, pending: [] };
  const pending: string[][] = [];
  const value = read(node, [], pending);
  return pending.some(({ length }) => length === 0) ? undefined : { value, pending };
}

function read(node: AnyNode, at: readonly string[], pending: string[][]): unknown {
  if (node.type === "ArrayExpression")
    return node.elements.map((one, index) => read(one ?? node, one === null ? at : [...at, String(index)], pending));
  if (node.type === "ObjectExpression") return readObject(node, at, pending);
  if (node.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? "";
  if (node.type === "UnaryExpression" && node.operator === "-" && node.argument.type === "Literal")
    return -Number(node.argument.value);
  const value = node.type === "Literal" ? node.value : undefined;
  // A handle stands for a value of any type.
  const isHandle = typeof value === "string" && value.startsWith("relay://");
  if (value !== undefined && !isHandle && (value === null || typeof value !== "object") && typeof value !== "bigint")
    return value;
  pending.push([...at]);
  return unknown;
}

/** Stands for a value that is not known. Not null, which would count as absent. */
const unknown = "?";

function readObject(node: Extract<AnyNode, { type: "ObjectExpression" }>, at: readonly string[], pending: string[][]) {
  const entries: [string, unknown][] = [];
  for (const property of node.properties) {
    const key = property.type === "Property" && !property.computed ? property.key : undefined;
    const name = key?.type === "Identifier" ? key.name : key?.type === "Literal" ? String(key.value) : "__proto__";
    if (property.type !== "Property" || name === "__proto__") {
      pending.push([...at]);
      return unknown;
    }
    entries.push([name, read(property.value, [...at, name], pending)]);
  }
  return Object.fromEntries(entries);
}
