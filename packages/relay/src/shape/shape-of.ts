import { jsonShape } from "./json.ts";
import type { DescribeShape, Shape } from "./shape.ts";
import { fits, shown } from "./shown.ts";
import { tableShape } from "./table.ts";

/** Maximum o200k tokens of the shapes of one result: 120, less what the estimate may be wrong by. */
export const maxShapeTokens = 110;
/** Minimum tokens that describe one of several blocks. */
const minBlockTokens = 22;

const formats: readonly DescribeShape[] = [jsonShape, tableShape, headAndTail];

/** Describes a text, or several blocks that are kept as one text, in at most 120 tokens. */
export function shapeOf(blocks: readonly string[], maxTokens = maxShapeTokens): Shape {
  const [only = "", ...others] = blocks;
  if (others.length === 0) return describe(only, maxTokens);
  const count = Math.min(blocks.length, Math.floor(maxTokens / minBlockTokens));
  const perBlock = Math.floor(maxTokens / count) - 6;
  const lines = blocks.slice(0, count).map((text, at) => `block ${at + 1}: ${describe(text, perBlock).text}`);
  if (blocks.length > count) lines[count - 1] = `and ${blocks.length - count + 1} more blocks`;
  return { text: lines.join("\n") };
}

function describe(text: string, maxTokens: number): Shape {
  for (const format of formats) {
    const shape = format(text, maxTokens);
    if (shape !== undefined && fits(shape.text, maxTokens)) return shape;
  }
  return { text: "" };
}

/** Lines that are shown of each end of a text, and characters of a line, from the most to the least. */
const details = [
  [3, 120],
  [3, 80],
  [3, 50],
  [2, 50],
  [2, 30],
  [1, 30],
  [1, 15],
] as const;
/** Characters of each end that are looked at. */
const maxEndCharacters = 4_000;

/** The first and the last lines of a text that has no other shape, with their numbers. */
function headAndTail(text: string, maxTokens: number): Shape {
  const whole = text.trimEnd();
  if (whole === "") return { text: "" };
  const lineCount = countLines(whole);
  const first = whole.slice(0, maxEndCharacters).split("\n");
  const last = whole.slice(-maxEndCharacters).split("\n");
  for (const [lines, characters] of details) {
    const numbered = (line: string, number: number) => `${number}: ${shown(line, characters)}`;
    const head = first.slice(0, lines).map((line, at) => numbered(line, at + 1));
    const tailCount = Math.min(lines, lineCount - head.length);
    const tail = last.slice(last.length - tailCount).map((line, at) => numbered(line, lineCount - tailCount + at + 1));
    const gap = lineCount > 2 * lines ? ["…"] : [];
    const end =
      lineCount === 1 && whole.length > characters ? [`it ends: ${shown(whole.slice(-characters), characters)}`] : [];
    const shape = ["text:", ...head, ...gap, ...tail, ...end].join("\n");
    if (fits(shape, maxTokens)) return { text: shape, table: areLines(first) ? "t(line, text)" : undefined };
  }
  return { text: "" };
}

/** Whether a query surely reads a text that begins with these lines as lines: no JSON begins in them, and they are no cells of a table. */
function areLines(first: readonly string[]): boolean {
  const sample = first.filter((line) => line.trim() !== "").slice(0, 20);
  if (sample.some((line) => /^\s*[[{]|(?:^|[,\t;|])"/.test(line))) return false;
  return [",", "\t", ";", "|"].every((delimiter) => {
    const [width = 1, ...others] = sample.map((line) => line.split(delimiter).length);
    return width === 1 || others.filter((other) => other === width).length < sample.length / 2;
  });
}

function countLines(text: string): number {
  let count = 1;
  for (let feed = text.indexOf("\n"); feed >= 0; feed = text.indexOf("\n", feed + 1)) count += 1;
  return count;
}
