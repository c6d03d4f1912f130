import { parseDocument, type Document } from "yaml";
import { ConfigurationError } from "../configuration-error.ts";

export function parseYaml(file: string, text: string): unknown {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first === undefined) return resolve(file, document);
  const { line, col } = first.linePos?.[0] ?? { line: 1, col: 1 };
  throw new ConfigurationError(`${file}:${line}:${col}: not valid YAML (${first.code})`);
}

/** Aliases are resolved only now: one without an anchor, or a bomb of them, is a ReferenceError. */
function resolve(file: string, document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigurationError(`${file}: not valid YAML (${error.message})`);
  }
}
