import { boundsOf, type Rectangle } from "./geometry.ts";

/** A node whose size is known. */
interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** A node without a position, with those that are laid out inside it. It is as large as they need, if that is larger. */
export interface LayoutNode extends Box {
  readonly children: readonly LayoutNode[];
}

export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
}

/** Distance of nodes to each other and to the edge of their group, in pixels. */
export const gap = 40;

/** Lays out nodes from the origin: connected ones in layers along their edges, the others in a grid below. */
export async function layoutBlock(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
): Promise<ReadonlyMap<string, Rectangle>> {
  const boxes: (Box & { readonly inside: ReadonlyMap<string, Rectangle> })[] = [];
  for (const { id, width, height, children } of nodes) {
    const inside = await layoutBlock(children, edges);
    const content = boundsOf([...inside.values()]);
    const pad = children.length === 0 ? 0 : 2 * gap;
    const size = { width: Math.max(width, content.width + pad), height: Math.max(height, content.height + pad) };
    boxes.push({ id, inside, ...size });
  }
  const own = projectedEdges(nodes, edges);
  const ends = new Set(own.flatMap(({ from, to }) => [from, to]));
  const connected = boxes.filter(({ id }) => ends.has(id));
  const placed = new Map(connected.length === 0 ? [] : await layers(connected, own));
  const { height } = boundsOf([...placed.values()]);
  const others = boxes.filter(({ id }) => !ends.has(id));
  for (const [id, place] of grid(others, height === 0 ? 0 : height + gap)) placed.set(id, place);
  for (const { id, inside } of boxes) {
    const { x = 0, y = 0 } = placed.get(id) ?? {};
    for (const [child, place] of inside) placed.set(child, { ...place, x: place.x + x + gap, y: place.y + y + gap });
  }
  return placed;
}

/** The edges between the given nodes, from those between nodes inside them. */
function projectedEdges(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): readonly LayoutEdge[] {
  const owners = new Map<string, string>();
  const own = (owner: string, { id, children }: LayoutNode) => {
    owners.set(id, owner);
    for (const child of children) own(owner, child);
  };
  for (const node of nodes) own(node.id, node);
  const projected = new Map<string, LayoutEdge>();
  for (const edge of edges) {
    const [from, to] = [owners.get(edge.from), owners.get(edge.to)];
    if (from !== undefined && to !== undefined && from !== to) projected.set(JSON.stringify([from, to]), { from, to });
  }
  return [...projected.values()];
}

type Placed = readonly [id: string, rectangle: Rectangle];

async function layers(boxes: readonly Box[], edges: readonly LayoutEdge[]): Promise<readonly Placed[]> {
  const { Graph, layout } = await import("@dagrejs/dagre");
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: gap, ranksep: 2 * gap });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const found = boxes.map(({ id, width, height }): Placed => {
    const { x = 0, y = 0 } = graph.node(id) as { readonly x?: number; readonly y?: number };
    return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2), width, height }];
  });
  const { x: left, y: top } = boundsOf(found.map(([, place]) => place));
  return found.map(([id, place]) => [id, { ...place, x: place.x - left, y: place.y - top }]);
}

/** Rows of about as many nodes as there are rows. */
function grid(boxes: readonly Box[], top: number): readonly Placed[] {
  const columns = Math.ceil(Math.sqrt(boxes.length));
  let [x, y, rowHeight] = [0, top, 0];
  return boxes.map(({ id, width, height }, at) => {
    if (at > 0 && at % columns === 0) {
      y += rowHeight + gap;
      [x, rowHeight] = [0, 0];
    }
    const place = { x, y, width, height };
    x += width + gap;
    rowHeight = Math.max(rowHeight, height);
    return [id, place];
  });
}
