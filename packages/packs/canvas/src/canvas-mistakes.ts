import { isObject } from "@toolpacks/core";
import type { z } from "zod";
import type { Item } from "./document.ts";
import { fileEdge, fileNodes, nodeTypes, type NodeType } from "./item-fields.ts";

interface Items {
  readonly nodes: readonly Item[];
  readonly edges: readonly Item[];
}

/** All that is wrong with a canvas by the specification of JSON Canvas 1.0, in the order of the file. */
export function canvasMistakes({ nodes, edges }: Items): readonly string[] {
  const ids = new Set(nodes.map(({ fields }) => fields["id"]));
  const seen = new Set<unknown>();
  return [
    ...nodes.flatMap((item, at) => [...nodeMistakes(item, at), ...repeated(item, { at, seen, kind: "node" })]),
    ...edges.flatMap((item, at) => [
      ...edgeMistakes(item, at),
      ...repeated(item, { at, seen, kind: "edge" }),
      ...danglingEnds(item, at, ids),
    ]),
  ];
}

/** The mistakes of one node. Its position in the file names it if it has no id. */
export function nodeMistakes(item: Item, at: number): readonly string[] {
  const { type } = item.fields;
  const name = itemName("node", item, at);
  if (isObject(item.value) && !isNodeType(type)) {
    return [`${name}: type: expected ${nodeTypes.join(", ")}, received ${shorten(type)}`];
  }
  return schemaMistakes(isNodeType(type) ? fileNodes[type] : fileNodes.text, item, name);
}

/** The mistakes of one edge, without those that depend on nodes. */
export function edgeMistakes(item: Item, at: number): readonly string[] {
  return schemaMistakes(fileEdge, item, itemName("edge", item, at));
}

export function isNodeType(type: unknown): type is NodeType {
  return nodeTypes.some((known) => known === type);
}

interface Place {
  readonly at: number;
  readonly seen: Set<unknown>;
  readonly kind: "node" | "edge";
}

function repeated({ fields: { id } }: Item, { at, seen, kind }: Place): readonly string[] {
  if (typeof id !== "string") return [];
  const isRepeated = seen.has(id);
  seen.add(id);
  return isRepeated ? [`${kind} ${at + 1}: id: ${shorten(id)} is the id of another item`] : [];
}

function danglingEnds(item: Item, at: number, ids: ReadonlySet<unknown>): readonly string[] {
  const { fields } = item;
  return ["fromNode", "toNode"]
    .filter((field) => typeof fields[field] === "string" && !ids.has(fields[field]))
    .map((field) => `${itemName("edge", item, at)}: ${field}: there is no node ${shorten(fields[field])}`);
}

function itemName(kind: "node" | "edge", { fields: { id } }: Item, at: number): string {
  return `${kind} ${typeof id === "string" ? shorten(id) : at + 1}`;
}

function schemaMistakes(schema: z.ZodType, { value, fields }: Item, name: string): readonly string[] {
  if (!isObject(value)) return [`${name}: expected an object`];
  const issues = schema.safeParse(value, { jitless: true }).error?.issues ?? [];
  return issues.map(({ path, message }) => {
    const field = String(path[0] ?? "");
    if (fields[field] === undefined) return `${name}: ${field}: required`;
    return `${name}: ${field}: ${message.replace(/, received .*/, "")}, received ${shorten(fields[field])}`;
  });
}

const maxShown = 60;

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
