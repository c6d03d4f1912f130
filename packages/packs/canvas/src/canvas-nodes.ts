import type { Fields, Item } from "./document.ts";
import { areaOf, contains, type Rectangle } from "./geometry.ts";
import { contentFields } from "./item-fields.ts";
import { isNodeType } from "./canvas-mistakes.ts";

/** A node with an id and a position, as outlines, layouts and drawings use it. */
export interface PlacedNode {
  readonly id: string;
  readonly type: string;
  /** The text, path, address or label; empty if there is none. */
  readonly content: string;
  readonly rectangle: Rectangle;
  readonly fields: Fields;
  /** Id of the smallest group around the node. */
  readonly parent?: string;
}

export interface PlacedEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly fields: Fields;
}

/** The nodes that have an id and a position, with their groups. Of two nodes with one id, the first counts. */
export function placedNodes(items: readonly Item[]): readonly PlacedNode[] {
  const nodes = new Map<string, PlacedNode>();
  for (const { fields } of items) {
    const node = placed(fields);
    if (node !== undefined && !nodes.has(node.id)) nodes.set(node.id, node);
  }
  const all = [...nodes.values()];
  // The smallest group comes first. Of groups of one size, the later one is inside the earlier one.
  const groups = all
    .map((node, at) => ({ node, at, area: areaOf(node.rectangle) }))
    .filter(({ node }) => node.type === "group")
    .sort((a, b) => a.area - b.area || b.at - a.at);
  const ranks = new Map(groups.map(({ node }, rank) => [node.id, rank]));
  return all.map((node) => {
    const first = (ranks.get(node.id) ?? -1) + 1;
    const parent = groups.slice(first).find((group) => contains(group.node.rectangle, node.rectangle));
    return parent === undefined ? node : { ...node, parent: parent.node.id };
  });
}

/** The edges whose ends are nodes. */
export function placedEdges(items: readonly Item[], nodes: readonly PlacedNode[]): readonly PlacedEdge[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return items.flatMap(({ fields }) => {
    const { id, fromNode, toNode, label } = fields;
    if (typeof fromNode !== "string" || typeof toNode !== "string" || !ids.has(fromNode) || !ids.has(toNode)) return [];
    return [{ id: textOf(id), from: fromNode, to: toNode, label: textOf(label), fields }];
  });
}

/** The ids of the nodes that lie in a group, at any depth. */
export function membersOf(group: PlacedNode, nodes: readonly PlacedNode[]): ReadonlySet<string> {
  const inside = nodes.filter((node) => node.id !== group.id && contains(group.rectangle, node.rectangle));
  return new Set(inside.map(({ id }) => id));
}

function placed(value: Fields): PlacedNode | undefined {
  const { id, type, x, y, width, height } = value;
  if (typeof id !== "string") return undefined;
  if (!isNumber(x) || !isNumber(y) || !isNumber(width) || !isNumber(height)) return undefined;
  const content = isNodeType(type) ? textOf(value[contentFields[type]]) : "";
  return { id, type: textOf(type), content, rectangle: { x, y, width, height }, fields: value };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
