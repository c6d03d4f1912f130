import { parse as parseToml, TomlError } from "smol-toml";
import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { LineCounter, parseDocument } from "yaml";
import { ClientFileError } from "./client-file-error.ts";

/** The parsers, by format. @throws ClientFileError with line and column */
export const parsers = { json: parseJsonText, toml: parseTomlText, yaml: parseYamlText } as const;

function parseJsonText(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return root && valueOf(root);
  const before = text.slice(0, first.offset).split("\n");
  const place = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  throw new ClientFileError(`${file}:${place}: not valid JSON (${printParseErrorCode(first.error)})`);
}

/** The value of a node. A key `__proto__` becomes an own property, not the prototype. */
function valueOf({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(valueOf);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.map((one) => [one.children?.[0]?.value, one.children?.[1] && valueOf(one.children[1])]),
  );
}

function parseTomlText(file: string, text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n", 1)[0] ?? "";
    throw new ClientFileError(`${file}:${error.line}:${error.column}: not valid TOML (${reason})`);
  }
}

function parseYamlText(file: string, text: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: "error" });
  const [first] = document.errors;
  if (first === undefined) return document.toJS();
  const { line, col } = lineCounter.linePos(first.pos[0]);
  throw new ClientFileError(`${file}:${line}:${col}: not valid YAML (${first.code})`);
}
