import type { PlacedEdge, PlacedNode } from "./canvas-nodes.ts";
import { boundsOf, facingSides, sidePoint, sides, type Point, type Rectangle, type Side } from "./geometry.ts";

/** Colors of the presets 1 to 6, and of items without a color. */
const presets: Readonly<Record<string, string>> = {
  "1": "#e03131",
  "2": "#e8590c",
  "3": "#f2b705",
  "4": "#2f9e44",
  "5": "#0c8599",
  "6": "#7048e8",
};
const neutral = "#868e96";

const margin = 60;
const lineHeight = 20;
const characterWidth = 7.5;

/** Draws a canvas as an SVG without scripts, styles or links. Groups are drawn first, then edges and the other nodes. */
export function renderSvg(nodes: readonly PlacedNode[], edges: readonly PlacedEdge[]): string {
  const bounds = boundsOf(nodes.map(({ rectangle }) => rectangle));
  const [x, y] = [bounds.x - margin, bounds.y - margin];
  const [width, height] = [bounds.width + 2 * margin, bounds.height + 2 * margin];
  const known = new Map(nodes.map((node) => [node.id, node]));
  const groups = nodes.filter(({ type }) => type === "group");
  const others = nodes.filter(({ type }) => type !== "group");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="14">`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#ffffff"/>`,
    ...groups.map(drawGroup),
    ...edges.map((edge) => drawEdge(edge, known)),
    ...others.map(drawNode),
    "</svg>",
    "",
  ].join("\n");
}

function drawGroup({ rectangle, content, fields }: PlacedNode): string {
  const color = colorOf(fields["color"]);
  const label = content === "" ? "" : text(content, { x: rectangle.x + 4, y: rectangle.y - 8 }, 'font-weight="bold"');
  return `${box(rectangle, color)} fill="${color}" fill-opacity="0.08"/>${label}`;
}

function drawNode({ rectangle, type, content, fields }: PlacedNode): string {
  const color = colorOf(fields["color"]);
  const { x, y, width, height } = rectangle;
  const columns = Math.max(1, Math.floor((width - 24) / characterWidth));
  const rows = Math.max(1, Math.floor((height - 16) / lineHeight));
  const style = type === "text" ? "" : 'font-style="italic"';
  const lines = wrap(content, columns, rows).map((line, at) =>
    text(line, { x: x + 12, y: y + 24 + at * lineHeight }, style),
  );
  return `${box(rectangle, color)} fill="#ffffff"/>${lines.join("")}`;
}

function box({ x, y, width, height }: Rectangle, color: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" stroke="${color}" stroke-width="2"`;
}

function drawEdge({ from, to, label, fields }: PlacedEdge, known: ReadonlyMap<string, PlacedNode>): string {
  const [a, b] = [known.get(from)?.rectangle, known.get(to)?.rectangle];
  if (a === undefined || b === undefined) return "";
  const facing = facingSides(a, b);
  const start = sidePoint(a, sideOf(fields["fromSide"], facing[0]));
  const end = sidePoint(b, sideOf(fields["toSide"], facing[1]));
  const color = colorOf(fields["color"]);
  const heads = [
    fields["fromEnd"] === "arrow" ? arrow(end, start, color) : "",
    fields["toEnd"] === "none" ? "" : arrow(start, end, color),
  ];
  const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
  const name = label === "" ? "" : text(label, middle, 'text-anchor="middle"');
  return `<path d="M${at(start)} L${at(end)}" stroke="${color}" stroke-width="2"/>${heads.join("")}${name}`;
}

/** An arrow's head, which points from one place to the other. */
function arrow(from: Point, tip: Point, color: string): string {
  const angle = Math.atan2(tip.y - from.y, tip.x - from.x);
  const corner = (turn: number) => ({ x: tip.x - 13 * Math.cos(angle + turn), y: tip.y - 13 * Math.sin(angle + turn) });
  return `<path d="M${at(tip)} L${at(corner(0.5))} L${at(corner(-0.5))} Z" fill="${color}"/>`;
}

function at({ x, y }: Point): string {
  return `${round(x)},${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function sideOf(value: unknown, otherwise: Side): Side {
  return sides.find((side) => side === value) ?? otherwise;
}

function colorOf(value: unknown): string {
  if (typeof value !== "string") return neutral;
  return presets[value] ?? (/^#[0-9a-fA-F]{6}$/.test(value) ? value : neutral);
}

function text(content: string, { x, y }: Point, style: string): string {
  const attributes = style === "" ? "" : ` ${style}`;
  return `<text x="${round(x)}" y="${round(y)}"${attributes} fill="#212529">${escapeXml(content)}</text>`;
}

/** Control characters, and others that XML 1.0 does not allow, are left out. */
function escapeXml(content: string): string {
  return content
    .toWellFormed()
    .replace(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Breaks a text into lines, at spaces where there are any. The last line that fits ends with `…` if there are more. */
function wrap(content: string, columns: number, rows: number): readonly string[] {
  const piece = new RegExp(`.{1,${columns}}(?:\\s|$)|.{1,${columns}}`, "gu");
  const start = content.slice(0, (columns + 1) * (rows + 1));
  const lines = start.split(/\r?\n/).flatMap((paragraph) => paragraph.match(piece) ?? [""]);
  return lines.slice(0, rows).map((line, number) => (number === rows - 1 && lines.length > rows ? `${line}…` : line));
}
