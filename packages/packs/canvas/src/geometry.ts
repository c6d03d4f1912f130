/** A rectangle in pixels; y grows downwards. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function areaOf({ width, height }: Rectangle): number {
  return width * height;
}

export function contains(outer: Rectangle, inner: Rectangle): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** Whether two rectangles have less than `gap` pixels between them. */
export function isNear(a: Rectangle, b: Rectangle, gap: number): boolean {
  return (
    a.x < b.x + b.width + gap && b.x < a.x + a.width + gap && a.y < b.y + b.height + gap && b.y < a.y + a.height + gap
  );
}

/** The smallest rectangle around others; at the origin and empty for none. */
export function boundsOf(rectangles: readonly Rectangle[]): Rectangle {
  if (rectangles.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const edges = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y, width, height } of rectangles) {
    edges.left = Math.min(edges.left, x);
    edges.top = Math.min(edges.top, y);
    edges.right = Math.max(edges.right, x + width);
    edges.bottom = Math.max(edges.bottom, y + height);
  }
  return { x: edges.left, y: edges.top, width: edges.right - edges.left, height: edges.bottom - edges.top };
}

export function centerOf({ x, y, width, height }: Rectangle): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

export const sides = ["top", "right", "bottom", "left"] as const;
export type Side = (typeof sides)[number];

/** The middle of a side. */
export function sidePoint({ x, y, width, height }: Rectangle, side: Side): Point {
  if (side === "top") return { x: x + width / 2, y };
  if (side === "bottom") return { x: x + width / 2, y: y + height };
  return { x: side === "left" ? x : x + width, y: y + height / 2 };
}

/** The sides of two rectangles that face each other. */
export function facingSides(from: Rectangle, to: Rectangle): readonly [from: Side, to: Side] {
  const [a, b] = [centerOf(from), centerOf(to)];
  const isAcross =
    Math.abs(b.x - a.x) / (from.width + to.width + 1) >= Math.abs(b.y - a.y) / (from.height + to.height + 1);
  if (isAcross) return b.x >= a.x ? ["right", "left"] : ["left", "right"];
  return b.y >= a.y ? ["bottom", "top"] : ["top", "bottom"];
}
