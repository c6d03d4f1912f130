import { isDeepStrictEqual } from "node:util";
import { isCollection, isMap, isScalar, parseDocument, stringify, type Document } from "yaml";
import type { Edit } from "./edit.ts";

/** Applies edits to a YAML text. Comments, indentation and line breaks stay. */
export function applyYamlEdits(text: string, edits: readonly Edit[]): string {
  const edited = edits.reduce(
    (before, edit) => withInsertedLines(before, edit) ?? withoutLines(before, edit) ?? withValue(before, edit),
    text.replaceAll("\r\n", "\n"),
  );
  return text.includes("\r\n") ? edited.replaceAll("\n", "\r\n") : edited;
}

function parseText(text: string): Document {
  return parseDocument(text, { uniqueKeys: false, logLevel: "error" });
}

/** Inserts a new value as lines, so that no other line changes. Undefined if the edit is another one, or its map is not written in lines. */
function withInsertedLines(text: string, { at, value }: Edit): string | undefined {
  const document = parseText(text);
  if (value === undefined || document.hasIn(at)) return undefined;
  const parent = document.getIn(at.slice(0, -1), true);
  const hasParent = document.hasIn(at.slice(0, -1));
  const place = isMap(parent) ? endOfMap(text, parent) : hasParent ? undefined : { offset: text.length, indent: "" };
  if (place === undefined) return undefined;
  const keys = isMap(parent) ? at.slice(-1) : at;
  const added = stringify(
    keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value),
    { lineWidth: 0 },
  );
  const before = text.slice(0, place.offset);
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  const result = `${before}${gap}${added.replaceAll(/^(?=.)/gm, place.indent)}${text.slice(place.offset)}`;
  const parsed = parseText(result);
  const found = parsed.errors.length === 0 ? parsed.getIn(at, true) : undefined;
  return isCollection(found) && isDeepStrictEqual(found.toJS(parsed), value) ? result : undefined;
}

/** Removes a value with its lines, so that no other line changes. Undefined if the edit is another one, or the value is not written in lines. */
function withoutLines(text: string, { at, value }: Edit): string | undefined {
  const document = parseText(text);
  const parent = document.getIn(at.slice(0, -1), true);
  if (value !== undefined || !isMap(parent) || parent.flow === true) return undefined;
  const pair = parent.items.find(({ key }) => isScalar(key) && key.value === at.at(-1));
  const end = pair && endOfMap(text, { items: [pair] });
  const start = pair && isScalar(pair.key) ? pair.key.range?.[0] : undefined;
  if (end === undefined || start === undefined) return undefined;
  const result = text.slice(0, text.lastIndexOf("\n", start - 1) + 1) + text.slice(end.offset);
  document.deleteIn(at);
  const parsed = parseText(result);
  return parsed.errors.length === 0 && isDeepStrictEqual(parsed.toJS(), document.toJS()) ? result : undefined;
}

/** The offset after the lines of a map, and the indentation of its keys. Undefined for an empty map, or one in braces. */
function endOfMap(text: string, map: { readonly items: readonly unknown[]; readonly flow?: boolean | undefined }) {
  const [first, last] = [map.items[0], map.items.at(-1)] as { key: unknown; value: unknown }[];
  if (map.flow === true || !isScalar(first?.key) || last === undefined) return undefined;
  const start = first.key.range?.[0] ?? 0;
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const node = (last.value ?? last.key) as { readonly range?: readonly [number, number, number] | null };
  const end = node.range?.[1];
  if (end === undefined || indent.trim() !== "") return undefined;
  const lineEnd = text.indexOf("\n", Math.max(end - 1, 0));
  return { offset: lineEnd === -1 ? text.length : lineEnd + 1, indent };
}

function withValue(text: string, { at, value }: Edit): string {
  const document = parseText(text);
  if (!isCollection(document.contents)) document.contents = document.createNode({});
  if (value === undefined) document.deleteIn(at);
  else {
    const empty = at.slice(0, -1).findIndex((_, depth) => !isCollection(document.getIn(at.slice(0, depth + 1), true)));
    // A key without a value is not a map yet.
    if (empty !== -1) document.setIn(at.slice(0, empty + 1), document.createNode({}));
    document.setIn(at, document.createNode(value));
  }
  const indent = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  const indentSeq = !/^( *)[^\s#][^#]*:[ \t]*\n\1- /m.test(text);
  return document.toString({ lineWidth: 0, indent: Math.min(indent, 8), indentSeq });
}
