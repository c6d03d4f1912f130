import { ToolError } from "@toolpacks/core";
import { boundsOf, contains, isNear, type Point, type Rectangle } from "./geometry.ts";
import { gap, layoutBlock, type LayoutEdge, type LayoutNode } from "./layout-block.ts";

/** A node that has a position. */
export interface FixedNode {
  readonly id: string;
  readonly isGroup: boolean;
  readonly rectangle: Rectangle;
}

/** A node to lay out. */
export interface LooseNode {
  readonly id: string;
  /** Id of the group to lay it out in. Default: outside of groups. */
  readonly group?: string | undefined;
  readonly width: number;
  readonly height: number;
}

interface Placement {
  readonly fixed: readonly FixedNode[];
  readonly loose: readonly LooseNode[];
  readonly edges: readonly LayoutEdge[];
}

/**
 * Places loose nodes in free space and leaves the fixed ones where they are. A group without room grows to the right and downwards, where nothing else is.
 *
 * @returns the rectangles of the loose nodes, and of the groups that grew
 * @throws ToolError `conflict` for a group that cannot grow
 */
export async function placeNodes({ fixed, loose, edges }: Placement): Promise<ReadonlyMap<string, Rectangle>> {
  const places = new Map<string, Rectangle>();
  const current = new Map(fixed.map((node) => [node.id, node]));
  const looseIds = new Set(loose.map(({ id }) => id));
  const children = Map.groupBy(loose, ({ group }) => group);
  const tree = (node: LooseNode): LayoutNode => ({ ...node, children: (children.get(node.id) ?? []).map(tree) });
  // The blocks inside groups come first, because a group may grow.
  const owners = [...children.keys()].filter((owner) => owner === undefined || !looseIds.has(owner));
  for (const owner of owners.toSorted((a, b) => Number(a === undefined) - Number(b === undefined))) {
    const nodes = (children.get(owner) ?? []).map(tree);
    const block = await layoutBlock(nodes, edges);
    const all = [...current.values()];
    const group = owner === undefined ? undefined : current.get(owner);
    const size = boundsOf([...block.values()]);
    const at = group === undefined ? besideAll(size, { all, edges, block }) : insideGroup(size, { group, all, block });
    if (at.grown !== undefined && group !== undefined) {
      current.set(group.id, { ...group, rectangle: at.grown });
      places.set(group.id, at.grown);
    }
    for (const [id, place] of block) {
      const rectangle = { ...place, x: place.x + at.x, y: place.y + at.y };
      places.set(id, rectangle);
      current.set(id, { id, isGroup: children.has(id), rectangle });
    }
  }
  const lost = loose.filter(({ id }) => !places.has(id)).map(({ id }) => JSON.stringify(id));
  if (lost.length > 0) throw new ToolError("invalid_input", `group: ${lost.join(", ")} would contain itself`);
  return places;
}

interface Spot extends Point {
  readonly grown?: Rectangle;
}

interface Surroundings {
  readonly all: readonly FixedNode[];
  readonly edges: readonly LayoutEdge[];
  readonly block: ReadonlyMap<string, Rectangle>;
}

/** A place below the first fixed node that an edge connects with the block, if it is free, otherwise below everything. */
function besideAll(size: Rectangle, { all, edges, block }: Surroundings): Spot {
  if (all.length === 0) return { x: 0, y: 0 };
  const known = new Map(all.map((node) => [node.id, node]));
  const neighbour = edges
    .map(({ from, to }) => (block.has(to) ? known.get(from) : block.has(from) ? known.get(to) : undefined))
    .find((node) => node !== undefined);
  const bounds = boundsOf(all.map(({ rectangle }) => rectangle));
  const { x, y, height } = neighbour?.rectangle ?? bounds;
  const start = { x, y: y + height + 2 * gap };
  const below = { x: bounds.x, y: bounds.y + bounds.height + 2 * gap };
  return all.some(({ rectangle }) => isNear(rectangle, { ...size, ...start }, gap)) ? below : start;
}

/** A place below the content of a group, which grows if it has no room. */
function insideGroup(
  size: Rectangle,
  { group, all, block }: Omit<Surroundings, "edges"> & { readonly group: FixedNode },
): Spot {
  const outer = group.rectangle;
  const others = all.filter(
    ({ id, isGroup, rectangle }) => id !== group.id && !(isGroup && contains(rectangle, outer)),
  );
  const near = others.map(({ rectangle }) => rectangle).filter((rectangle) => isNear(rectangle, outer, 0));
  const area = { x: outer.x + gap, y: outer.y + gap, width: outer.width - 2 * gap, height: outer.height - 2 * gap };
  const bottom = near.length === 0 ? outer.y : boundsOf(near).y + boundsOf(near).height;
  const spot = { x: area.x, y: bottom + gap };
  if (contains(area, { ...size, ...spot })) return spot;
  const grown = {
    ...outer,
    width: Math.max(outer.width, size.width + 2 * gap),
    height: Math.max(outer.height, spot.y + size.height + gap - outer.y),
  };
  const parents = all.filter(({ id, isGroup, rectangle }) => id !== group.id && isGroup && contains(rectangle, outer));
  const isBlocked = others.some(({ rectangle }) => isNear(rectangle, grown, 0) && !contains(outer, rectangle));
  if (!isBlocked && parents.every(({ rectangle }) => contains(rectangle, grown))) return { ...spot, grown };
  throw new ToolError(
    "conflict",
    `group ${JSON.stringify(group.id)}: no room for ${[...block.keys()]
      .slice(0, 10)
      .map((id) => JSON.stringify(id))
      .join(", ")}`,
    "Give x and y, or a larger width and height of the group.",
  );
}
