import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { ConfigurationError } from "@toolpacks/core";
import { placeIn } from "../positions/place-in.ts";

/** Parses JSON with comments and trailing commas. */
export function parseJsonc(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return root && valueOf(root);
  throw new ConfigurationError(
    `${file}${placeIn(text, first.offset)}: not valid JSON (${printParseErrorCode(first.error)})`,
  );
}

/** The value of a node. A key `__proto__` becomes an own property, not the prototype, so that validation sees the key. */
function valueOf({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(valueOf);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.map(({ children: [key, inner] = [] }) => [String(key?.value), inner && valueOf(inner)]),
  );
}
