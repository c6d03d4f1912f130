import { isObject, ToolError } from "@toolpacks/core";
import { modify, applyEdits, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";

export type Fields = Readonly<Record<string, unknown>>;

/** An entry of `nodes` or `edges`, with its text in the file. */
export interface Item {
  readonly value: unknown;
  /** The fields of the value; empty if it is not an object. */
  readonly fields: Fields;
  /** The JSON text of the item. */
  readonly raw: string;
  /** The text between the previous item, or the bracket, and this item. Undefined for a new item. */
  readonly lead?: string;
}

interface ItemList {
  readonly name: ListName;
  /** The text up to and including the bracket, from the start of the file or the end of the other list. */
  readonly before: string;
  readonly items: readonly Item[];
  /** The text between the last item and the closing bracket. */
  readonly tail: string;
}

const listNames = ["nodes", "edges"] as const;
export type ListName = (typeof listNames)[number];

/** A canvas file: its items, and the text around them, which a change keeps. */
export interface CanvasDocument {
  readonly nodes: readonly Item[];
  readonly edges: readonly Item[];
  /** The text of the file with other items. Items that were parsed keep their text. */
  with(changed: Readonly<Record<ListName, readonly Item[]>>): string;
}

/**
 * Parses the text of a canvas file. An empty file is an empty canvas.
 *
 * @throws ToolError `invalid_input` for a text that is not JSON, not an object, or has other values than arrays as `nodes` and `edges`
 */
export function parseDocument(text: string): CanvasDocument {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  const full = body.trim() === "" ? emptyCanvas : body;
  const { lists } = readLists(full);
  const [nodes = [], edges = []] = listNames.map((name) => lists.find((list) => list.name === name)?.items);
  return {
    nodes,
    edges,
    with(changed) {
      if (isSame(nodes, changed.nodes) && isSame(edges, changed.edges)) return text;
      const missing = listNames.filter((name) => changed[name].length > 0 && !lists.some((list) => list.name === name));
      const whole = missing.reduce((before, name) => applyEdits(before, modify(before, [name], [], {})), full);
      const around = missing.length === 0 ? readLists(full) : readLists(whole);
      return `${mark}${around.lists.map((list) => renderList(list, changed[list.name])).join("")}${around.rest}`;
    },
  };
}

/** The text of a new canvas, in the form of Obsidian. */
export const emptyCanvas = '{\n\t"nodes":[],\n\t"edges":[]\n}';

function isSame(before: readonly Item[], after: readonly Item[]): boolean {
  return before.length === after.length && before.every((item, at) => item === after[at]);
}

function parseJson(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (root !== undefined && first === undefined) return root;
  const before = text.slice(0, first?.offset ?? 0).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  throw new ToolError("invalid_input", `not JSON: ${first ? printParseErrorCode(first.error) : "empty"} in ${place}`);
}

/** Splits a text at the items of both lists, in the order of the file. */
function readLists(text: string): { readonly lists: readonly ItemList[]; readonly rest: string } {
  const root = parseJson(text);
  const mistakes = root.type === "object" ? [] : ["expected an object with nodes and edges"];
  const lists: ItemList[] = [];
  let from = 0;
  for (const { children: [key, array] = [] } of root.type === "object" ? (root.children ?? []) : []) {
    const name = listNames.find((one) => one === key?.value);
    if (name === undefined || array === undefined) continue;
    if (array.type !== "array") mistakes.push(`${name}: expected an array, received ${array.type}`);
    if (lists.some((list) => list.name === name)) mistakes.push(`${name}: the field stands there twice`);
    const before = text.slice(from, array.offset + 1);
    let end = array.offset + 1;
    const items = (array.children ?? []).map((child) => {
      const lead = text.slice(end, child.offset);
      end = child.offset + child.length;
      return itemOf(text.slice(child.offset, end), lead);
    });
    from = array.offset + array.length - 1;
    lists.push({ name, before, items, tail: text.slice(end, from) });
  }
  if (mistakes.length > 0) throw new ToolError("invalid_input", `not a canvas: ${mistakes.join("; ")}`);
  return { lists, rest: text.slice(from) };
}

function renderList({ before, items, tail }: ItemList, changed: readonly Item[]): string {
  const [first] = items;
  if (changed.length === 0) return before + (items.length === 0 ? tail : "");
  const firstLead = first?.lead ?? "\n\t\t";
  const nextLead = items.at(1)?.lead ?? `,${firstLead}`;
  const parts = changed.map(({ raw, lead }, at) => {
    if (at === 0) return firstLead + raw;
    return (lead === undefined || lead === first?.lead ? nextLead : lead) + raw;
  });
  return before + parts.join("") + (first === undefined ? "\n\t" : tail);
}

/** A new item, in the form that the other items of the file have: on one line, or indented. */
export function newItem(value: Fields, others: readonly Item[]): Item {
  const sample = others.find(({ raw }) => raw.includes("\n"))?.raw;
  if (sample === undefined) return itemOf(JSON.stringify(value));
  const [, inner = "  "] = /\n([ \t]*)"/.exec(sample) ?? [];
  const [, outer = ""] = /\n([ \t]*)\}$/.exec(sample) ?? [];
  const indent = inner.startsWith(outer) ? inner.slice(outer.length) : inner;
  const lineEnd = sample.includes("\r\n") ? "\r\n" : "\n";
  return itemOf(JSON.stringify(value, undefined, indent || 2).replaceAll("\n", `${lineEnd}${outer}`));
}

function itemOf(raw: string, lead?: string): Item {
  const value: unknown = JSON.parse(raw);
  return { value, fields: isObject(value) ? value : {}, raw, lead };
}

/** An item with other values of some fields; undefined removes a field. Text of other fields is kept. */
export function changedItem(item: Item, changes: Fields): Item {
  let { raw } = item;
  for (const [field, value] of Object.entries(changes)) {
    raw = applyEdits(raw, modify(raw, [field], value, { getInsertionIndex: (names) => names.length }));
  }
  const changed = itemOf(raw, item.lead);
  // An object may name a field twice. Then the last one counts, and the text edit has changed the first.
  const isChanged = Object.entries(changes).every(([field, wanted]) => changed.fields[field] === wanted);
  return isChanged ? changed : { ...newItem({ ...changed.fields, ...changes }, [item]), lead: item.lead };
}
