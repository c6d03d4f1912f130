import { randomBytes } from "node:crypto";
import { ToolError } from "@toolpacks/core";
import { edgeMistakes, nodeMistakes } from "./canvas-mistakes.ts";
import { membersOf, placedEdges, placedNodes } from "./canvas-nodes.ts";
import { changedItem, newItem, type CanvasDocument, type Fields, type Item } from "./document.ts";
import { areaOf, contains, facingSides, type Rectangle } from "./geometry.ts";
import {
  edgeFields,
  fieldsOf,
  type CanvasRequest,
  type ChangeInput,
  type EdgeInput,
  type NodeInput,
  type NodeType,
} from "./item-fields.ts";
import { placeNodes, type FixedNode, type LooseNode } from "./place-nodes.ts";
import { requestMistakes } from "./request-mistakes.ts";

export interface ChangedCanvas {
  readonly text: string;
  /** Ids of the added nodes and edges, as requested or random, in the order of the request. */
  readonly added: readonly string[];
  /** Ids of edges that were removed with their nodes. */
  readonly disconnected: readonly string[];
  /** Ids of groups that grew to hold their new nodes. */
  readonly grown: readonly string[];
}

/**
 * Makes changes of a canvas. Items that no change concerns keep their text.
 *
 * @throws ToolError `invalid_input` with all mistakes of the request
 */
export async function changeCanvas(document: CanvasDocument, request: CanvasRequest): Promise<ChangedCanvas> {
  const add = request.add.map((node) => ({ ...node, id: node.id ?? randomId(), type: typeOf(node) }));
  const connect = request.connect.map((edge) => ({ ...edge, id: edge.id ?? randomId() }));
  const removed = new Set<unknown>(request.remove);
  refuse(requestMistakes(document, { ...request, add, connect }));
  const isGone = ({ fields }: Item) => removed.has(fields["id"]);
  const isCut = ({ fields }: Item) => removed.has(fields["fromNode"]) || removed.has(fields["toNode"]);
  const keptNodes = document.nodes.filter((item) => !isGone(item));
  const keptEdges = document.edges.filter((item) => !isCut(item) && !isGone(item));
  const places = await rectanglesAfter(keptNodes, keptEdges, { ...request, add, connect });
  const changes = changesOf(request.change, keptNodes, places);
  const nodes = keptNodes.map((item) => withChanges(item, changes));
  for (const node of add) insert(nodes, newItem(nodeFields(node, places.get(node.id)), document.nodes));
  const rectangles = new Map(placedNodes(nodes).map(({ id, rectangle }) => [id, rectangle]));
  const edges = [
    ...keptEdges.map((item) => withChanges(item, changes)),
    ...connect.map((edge) => newItem(edgeFieldsOf(edge, rectangles), document.edges)),
  ];
  refuse([...newMistakes(nodes, document.nodes, nodeMistakes), ...newMistakes(edges, document.edges, edgeMistakes)]);
  const added = [...add, ...connect].map(({ id }) => id);
  const isRequested = new Set([...added, ...request.change.map(({ id }) => id)]);
  return {
    text: document.with({ nodes, edges }),
    added,
    disconnected: document.edges
      .filter((item) => isCut(item) && !isGone(item))
      .map(({ fields }) => String(fields["id"])),
    grown: [...places.keys()].filter((id) => !isRequested.has(id)),
  };
}

type AddedNode = NodeInput & { readonly id: string; readonly type: NodeType };

function refuse(mistakes: readonly string[]): void {
  if (mistakes.length === 0) return;
  throw new ToolError("invalid_input", mistakes.join("\n"), "Nothing was written.");
}

/** Ids in the form of those that Obsidian makes. */
function randomId(): string {
  return randomBytes(8).toString("hex");
}

function typeOf({ type, text, file, url, label }: NodeInput): NodeType {
  if (type !== undefined) return type;
  if (text !== undefined) return "text";
  if (file !== undefined) return "file";
  if (url !== undefined) return "link";
  return label === undefined ? "text" : "group";
}

interface Requested {
  readonly add: readonly AddedNode[];
  readonly connect: readonly EdgeInput[];
  readonly change: readonly ChangeInput[];
}

/** The rectangles of nodes that are laid out, of new nodes with positions, and of groups that grew. */
async function rectanglesAfter(
  nodes: readonly Item[],
  edges: readonly Item[],
  { add, connect, change }: Requested,
): Promise<ReadonlyMap<string, Rectangle>> {
  const placed = placedNodes(nodes);
  const moved = new Map(change.flatMap(({ id, group }) => (group === undefined ? [] : [[id, group ?? undefined]])));
  const changed = new Map(change.map((one) => [one.id, one]));
  const loose: LooseNode[] = [];
  const given = new Map<string, Rectangle>();
  const fixed: FixedNode[] = [];
  for (const node of add) {
    const { id, type, group, x, y } = node;
    const { width, height } = { ...defaultSize(type, node.text), ...numbersOf(node) };
    if (x === undefined || y === undefined) loose.push({ id, group, width, height });
    else {
      const rectangle = { x, y, width, height };
      given.set(id, rectangle);
      fixed.push({ id, isGroup: type === "group", rectangle });
    }
  }
  for (const node of placed) {
    const { x, y, width, height } = { ...node.rectangle, ...numbersOf(changed.get(node.id)) };
    if (moved.has(node.id)) loose.push({ id: node.id, group: moved.get(node.id), width, height });
    else fixed.push({ id: node.id, isGroup: node.type === "group", rectangle: { x, y, width, height } });
  }
  if (loose.length === 0) return given;
  const known = placedEdges(edges, placed).map(({ from, to }) => ({ from, to }));
  const wanted = [...known, ...connect.map(({ fromNode, toNode }) => ({ from: fromNode, to: toNode }))];
  const laidOut = await placeNodes({ fixed, loose, edges: wanted });
  return new Map([...given, ...laidOut]);
}

function numbersOf(change: ChangeInput | NodeInput | undefined): Partial<Rectangle> {
  const fields = (["x", "y", "width", "height"] as const).filter((field) => typeof change?.[field] === "number");
  return Object.fromEntries(fields.map((field) => [field, change?.[field]]));
}

/** The changed fields of each item, with new positions, also of the nodes in a group that moves. */
function changesOf(
  requested: readonly ChangeInput[],
  items: readonly Item[],
  places: ReadonlyMap<string, Rectangle>,
): ReadonlyMap<string, Fields> {
  const all = placedNodes(items);
  const byId = new Map(all.map((node) => [node.id, node]));
  const changes = new Map<string, Fields>();
  for (const { id, group: _group, ...fields } of requested) {
    const values = Object.entries(fields).map(([name, value]) => [name, value ?? undefined]);
    changes.set(id, Object.fromEntries(values) as Fields);
  }
  for (const { id } of all) if (places.has(id)) changes.set(id, { ...changes.get(id), ...places.get(id) });
  // An inner group that moves as well has decided about its own nodes.
  const groups = all
    .filter(({ type }) => type === "group")
    .toSorted((a, b) => areaOf(a.rectangle) - areaOf(b.rectangle));
  for (const group of groups) {
    const { x = group.rectangle.x, y = group.rectangle.y } = (changes.get(group.id) ?? {}) as Partial<Rectangle>;
    const [right, down] = [x - group.rectangle.x, y - group.rectangle.y];
    if ((right === 0 && down === 0) || !Number.isFinite(right + down)) continue;
    for (const id of membersOf(group, all)) {
      const node = byId.get(id);
      const own = changes.get(id);
      if (node === undefined || own?.["x"] !== undefined || own?.["y"] !== undefined) continue;
      changes.set(id, { ...own, x: node.rectangle.x + right, y: node.rectangle.y + down });
    }
  }
  return changes;
}

function withChanges(item: Item, changes: ReadonlyMap<string, Fields>): Item {
  const { fields } = item;
  const wanted = Object.entries(changes.get(String(fields["id"])) ?? {});
  const differing = wanted.filter(([field, next]) => fields[field] !== next);
  return differing.length === 0 ? item : changedItem(item, Object.fromEntries(differing));
}

/** A group stands before the nodes that it surrounds, because later nodes are drawn above earlier ones. */
function insert(nodes: Item[], item: Item): void {
  const [own] = placedNodes([item]);
  const covered =
    own?.type === "group" && placedNodes(nodes).find(({ rectangle }) => contains(own.rectangle, rectangle));
  const at = nodes.findIndex(({ fields }) => covered && fields === covered.fields);
  nodes.splice(at < 0 ? nodes.length : at, 0, item);
}

function nodeFields(node: AddedNode, rectangle: Rectangle | undefined): Fields {
  return pick({ ...node, ...rectangle }, fieldsOf(node.type));
}

/** The fields of a new edge. Sides that were not given face each other, because some programs need them. */
function edgeFieldsOf(edge: EdgeInput, rectangles: ReadonlyMap<string, Rectangle>): Fields {
  const [from, to] = [rectangles.get(edge.fromNode), rectangles.get(edge.toNode)];
  const [fromSide, toSide] = from === undefined || to === undefined ? [] : facingSides(from, to);
  return pick({ fromSide, toSide, ...edge }, edgeFields);
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** The mistakes of new and changed items that they did not have before. */
function newMistakes(
  items: readonly Item[],
  before: readonly Item[],
  check: (item: Item, at: number) => readonly string[],
): readonly string[] {
  const known = new Set(before);
  const old = new Set(before.flatMap((item) => check(item, 0)));
  const fresh = items.filter((item) => !known.has(item));
  return fresh.flatMap((item) => check(item, 0)).filter((mistake) => !old.has(mistake));
}

/** Pixels of a character, a line and the space around a text, about those of Obsidian. */
const characterWidth = 8;
const lineHeight = 24;
const padding = 36;

const textWidth = 260;
const maxTextHeight = 600;

/** The size of a new node in pixels, if the caller gives none. A text has the lines that it needs, within limits. */
function defaultSize(type: NodeType, text = ""): { readonly width: number; readonly height: number } {
  if (type === "file" || type === "link") return { width: 400, height: 400 };
  if (type === "group") return { width: 300, height: 200 };
  const columns = Math.floor((textWidth - padding) / characterWidth);
  const lines = text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  const height = Math.min(maxTextHeight, Math.max(60, lines * lineHeight + padding));
  return { width: textWidth, height };
}
