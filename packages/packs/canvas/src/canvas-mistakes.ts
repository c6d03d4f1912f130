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
  const ids = new Set<unknown>();
  const seen = new Set<unknown>();
  for (const { value } of nodes) if (isObject(value)) ids.add(value["id"]);
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
export function nodeMistakes({ value }: Item, at: number): readonly string[] {
  const name = itemName("node", value, at);
  if (!isObject(value)) return [`${name}: expected an object`];
  const { type } = value;
  if (!isNodeType(type)) return [`${name}: type: expected ${nodeTypes.join(", ")}, received ${shorten(type)}`];
  return schemaMistakes(fileNodes[type], value, name);
}

/** The mistakes of one edge, without those that depend on nodes. */
export function edgeMistakes({ value }: Item, at: number): readonly string[] {
  const name = itemName("edge", value, at);
  return isObject(value) ? schemaMistakes(fileEdge, value, name) : [`${name}: expected an object`];
}

export function isNodeType(type: unknown): type is NodeType {
  return nodeTypes.some((known) => known === type);
}

interface Place {
  readonly at: number;
  readonly seen: Set<unknown>;
  readonly kind: "node" | "edge";
}

function repeated({ value }: Item, { at, seen, kind }: Place): readonly string[] {
  if (!isObject(value) || typeof value["id"] !== "string") return [];
  const isRepeated = seen.has(value["id"]);
  seen.add(value["id"]);
  return isRepeated ? [`${kind} ${at + 1}: id: ${shorten(value["id"])} is the id of another item`] : [];
}

function danglingEnds({ value }: Item, at: number, ids: ReadonlySet<unknown>): readonly string[] {
  if (!isObject(value)) return [];
  return ["fromNode", "toNode"]
    .filter((field) => typeof value[field] === "string" && !ids.has(value[field]))
    .map((field) => `${itemName("edge", value, at)}: ${field}: there is no node ${shorten(value[field])}`);
}

function itemName(kind: "node" | "edge", value: unknown, at: number): string {
  const hasId = isObject(value) && typeof value["id"] === "string";
  return hasId ? `${kind} ${shorten(value["id"])}` : `${kind} ${at + 1}`;
}

function schemaMistakes(schema: z.ZodType, value: object, name: string): readonly string[] {
  const issues = schema.safeParse(value, { jitless: true }).error?.issues ?? [];
  return issues.map(({ path, message }) => {
    const field = String(path[0] ?? "");
    const received: unknown = Reflect.get(value, field);
    if (received === undefined) return `${name}: ${field}: required`;
    return `${name}: ${field}: ${message.replace(/, received .*/, "")}, received ${shorten(received)}`;
  });
}

const maxShown = 60;

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
