import { isScalar, LineCounter, parseDocument, visit, type Document, type YAMLMap } from "yaml";
import { ConfigurationError } from "@toolpacks/core";

export function parseYaml(file: string, text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    // Both take quadratic time. `duplicateKey` checks the keys, and `refuse` adds the position of an error.
    uniqueKeys: false,
    prettyErrors: false,
    // Warnings would be printed as they are, with text of the file.
    logLevel: "error",
  });
  const [first] = document.errors;
  const refuse = (offset: number, code: string): never => {
    const { line, col } = lines.linePos(offset);
    throw new ConfigurationError(`${file}:${line}:${col}: not valid YAML (${code})`);
  };
  if (first !== undefined) return refuse(first.pos[0], first.code);
  visit(document, {
    Map: (_, map) => {
      const offset = duplicateKey(map);
      if (offset !== undefined) refuse(offset, "DUPLICATE_KEY");
    },
  });
  return resolve(file, document);
}

/** The offset of the first duplicate key of a map. */
function duplicateKey({ items }: YAMLMap): number | undefined {
  const seen = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (seen.has(name)) return key.range?.[0] ?? 0;
    seen.add(name);
  }
  return undefined;
}

/** Converts a document to a value. An alias without an anchor, or too many aliases, is a ReferenceError. */
function resolve(file: string, document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigurationError(`${file}: not valid YAML (${error.message})`);
  }
}
