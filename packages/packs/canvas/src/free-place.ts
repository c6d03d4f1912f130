import { contains, isNear, type Point, type Rectangle } from "./geometry.ts";
import { gap } from "./layout-block.ts";

interface FreePlaceOptions {
  /** Where the block would be best. */
  readonly start: Point;
  readonly obstacles: readonly Rectangle[];
  /** The block must lie in this rectangle. Default: anywhere. */
  readonly area?: Rectangle;
}

/** The place nearest to `start` where a block has a gap to all obstacles: at `start`, beside or below an obstacle. Undefined if an area has none. */
export function freePlace(size: Rectangle, { start, obstacles, area }: FreePlaceOptions): Point | undefined {
  const xs = [start.x, ...obstacles.map(({ x, width }) => x + width + gap).filter((x) => x > start.x)];
  const ys = [start.y, ...obstacles.map(({ y, height }) => y + height + gap).filter((y) => y > start.y)];
  const isSmall = obstacles.length <= maxCrossed;
  const candidates = [
    ...ys.map((y) => ({ x: start.x, y })),
    ...xs.slice(1).flatMap((x) => (isSmall ? ys.map((y) => ({ x, y })) : [{ x, y: start.y }])),
  ];
  const distance = ({ x, y }: Point) => x - start.x + (y - start.y);
  return candidates
    .toSorted((a, b) => distance(a) - distance(b))
    .find((place) => {
      const block = { ...size, ...place };
      if (area !== undefined && !contains(area, block)) return false;
      return !obstacles.some((obstacle) => isNear(obstacle, block, gap));
    });
}

/** Maximum number of obstacles of which every column is tried with every row. */
const maxCrossed = 30;
