import { isCollection, parseDocument, type Document } from "yaml";
import type { Edit } from "./edit.ts";

/** Applies edits to a YAML text. Values, comments and the indentation stay; spaces and quotes of other lines may change. */
export function applyYamlEdits(text: string, edits: readonly Edit[]): string {
  const lines = text.replaceAll("\r\n", "\n");
  const document: Document = parseDocument(lines, { uniqueKeys: false, logLevel: "error" });
  if (!isCollection(document.contents)) document.contents = document.createNode({});
  for (const { at, value } of edits) {
    if (value === undefined) document.deleteIn(at);
    else {
      const isMap = (depth: number) => isCollection(document.getIn(at.slice(0, depth + 1), true));
      const empty = at.slice(0, -1).findIndex((_, depth) => !isMap(depth));
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
