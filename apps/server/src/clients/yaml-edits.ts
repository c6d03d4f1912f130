import { isCollection, parseDocument, type Document } from "yaml";
import type { Edit } from "./edit.ts";

/** Applies edits to a YAML text. Comments, indentation and line breaks stay. */
export function applyYamlEdits(text: string, edits: readonly Edit[]): string {
  const document: Document = parseDocument(text.replaceAll("\r\n", "\n"), { uniqueKeys: false, logLevel: "error" });
  if (!isCollection(document.contents)) document.contents = document.createNode({});
  for (const { at, value } of edits) {
    if (value === undefined) document.deleteIn(at);
    else {
      const empty = at
        .slice(0, -1)
        .findIndex((_, depth) => !isCollection(document.getIn(at.slice(0, depth + 1), true)));
      // A key without a value is not a map yet.
      if (empty !== -1) document.setIn(at.slice(0, empty + 1), document.createNode({}));
      document.setIn(at, document.createNode(value));
    }
  }
  const indent = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  const indentSeq = !/^( *)[^\s#][^#]*:[ \t]*\r?\n\1- /m.test(text);
  const edited = document.toString({ lineWidth: 0, indent: Math.min(indent, 8), indentSeq });
  return text.includes("\r\n") ? edited.replaceAll("\n", "\r\n") : edited;
}
