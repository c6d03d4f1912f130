import { parseDocument } from "yaml";
import { ConfigurationError } from "../configuration-error.ts";

export function parseYaml(file: string, text: string): unknown {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first === undefined) return document.toJS();
  const { line, col } = first.linePos?.[0] ?? { line: 1, col: 1 };
  throw new ConfigurationError(`${file}:${line}:${col}: not valid YAML (${first.code})`);
}
