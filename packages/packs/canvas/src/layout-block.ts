import { boundsOf, type Rectangle } from "./geometry.ts";

/** A node without a position, with those that are laid out inside it. */
export interface LayoutNode {
  readonly id: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
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
  const inner = new Map<string, Rectangle>();
  const sizes = new Map<string, { readonly width: number; readonly height: number }>();
  for (const { id, width = 0, height = 0, children } of nodes) {
    const block = await layoutBlock(children, edges);
    for (const [child, place] of block) inner.set(child, place);
    const content = boundsOf([...block.values()]);
    const pad = children.length === 0 ? 0 : 2 * gap;
    sizes.set(id, { width: Math.max(width, content.width + pad), height: Math.max(height, content.height + pad) });
  }
  const own = projectedEdges(nodes, edges);
  const ends = new Set(own.flatMap(({ from, to }) => [from, to]));
  const connected = nodes.filter(({ id }) => ends.has(id));
  const layered = await layers(connected, own, sizes);
  const placed = new Map(layered);
  const { height } = boundsOf([...layered.values()]);
  const alone = nodes.filter(({ id }) => !ends.has(id));
  for (const [id, place] of grid(alone, sizes, height === 0 ? 0 : height + gap)) placed.set(id, place);
  for (const { id, children } of nodes) moveChildren(children, inner, { placed, to: placed.get(id) });
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

type Sizes = ReadonlyMap<string, { readonly width: number; readonly height: number }>;

async function layers(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  sizes: Sizes,
): Promise<ReadonlyMap<string, Rectangle>> {
  if (nodes.length === 0) return new Map();
  const { Graph, layout } = await import("@dagrejs/dagre");
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: gap, ranksep: 2 * gap });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { ...sizes.get(id) });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const found = nodes.map(({ id }) => {
    const { width, height } = sizes.get(id) ?? { width: 0, height: 0 };
    const { x = 0, y = 0 } = graph.node(id) as { readonly x?: number; readonly y?: number };
    return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2), width, height }] as const;
  });
  const { x: left, y: top } = boundsOf(found.map(([, place]) => place));
  return new Map(found.map(([id, place]) => [id, { ...place, x: place.x - left, y: place.y - top }]));
}

/** Rows of about as many nodes as there are rows. */
function grid(nodes: readonly LayoutNode[], sizes: Sizes, top: number): ReadonlyMap<string, Rectangle> {
  const places = new Map<string, Rectangle>();
  const columns = Math.ceil(Math.sqrt(nodes.length));
  let [x, y, rowHeight] = [0, top, 0];
  for (const [at, { id }] of nodes.entries()) {
    const { width, height } = sizes.get(id) ?? { width: 0, height: 0 };
    if (at > 0 && at % columns === 0) {
      y += rowHeight + gap;
      [x, rowHeight] = [0, 0];
    }
    places.set(id, { x, y, width, height });
    x += width + gap;
    rowHeight = Math.max(rowHeight, height);
  }
  return places;
}

interface Move {
  readonly placed: Map<string, Rectangle>;
  readonly to: Rectangle | undefined;
}

function moveChildren(
  children: readonly LayoutNode[],
  inner: ReadonlyMap<string, Rectangle>,
  { placed, to }: Move,
): void {
  for (const child of children) {
    const place = inner.get(child.id);
    if (place === undefined || to === undefined) continue;
    placed.set(child.id, { ...place, x: place.x + to.x + gap, y: place.y + to.y + gap });
    moveChildren(child.children, inner, { placed, to });
  }
}
