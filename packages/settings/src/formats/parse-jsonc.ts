import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { ConfigurationError } from "@toolpacks/core";

/** Parses JSON with comments and trailing commas. */
export function parseJsonc(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return root && valueOf(root);
  const before = text.slice(0, first.offset);
  const column = before.length - before.lastIndexOf("\n");
  const line = before.split("\n").length;
  throw new ConfigurationError(`${file}:${line}:${column}: not valid JSON (${printParseErrorCode(first.error)})`);
}

/** The value of a node. A key `__proto__` becomes an own property, not the prototype, so that validation sees the key. */
function valueOf({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(valueOf);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.map(({ children: [key, inner] = [] }) => [String(key?.value), inner && valueOf(inner)]),
  );
}
