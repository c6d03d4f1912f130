import { codeShape } from "./code.ts";
import { jsonShape } from "./json.ts";
import { logShape } from "./log.ts";
import { proseShape } from "./prose.ts";
import type { DescribeShape, Shape } from "./shape.ts";
import { fits, shown } from "./shown.ts";
import { tableShape } from "./table.ts";

/** Maximum o200k tokens of the shapes of one result: 120, less what the estimate may be wrong by. */
export const maxShapeTokens = 110;
/** Minimum tokens that describe one of several blocks. */
const minBlockTokens = 22;

const formats: readonly DescribeShape[] = [jsonShape, tableShape, logShape, codeShape, proseShape, beginning];

/** Describes a text, or several blocks that are kept as one text, in at most 120 tokens. Its format is decided from the whole text. */
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

const maxLines = 4;
const maxCharacters = 240;

/** The first lines of a text that has no other shape. */
function beginning(text: string, maxTokens: number): Shape {
  const lines = text
    .slice(0, 4 * maxCharacters)
    .trimStart()
    .split("\n", maxLines);
  let begins = "";
  for (const line of lines) {
    const next = [240, 120, 60, 30, 15]
      .map((length) => `${begins}\n${shown(line, length)}`)
      .find((one) => one.length <= maxCharacters && fits(`text that begins: ${one}`, maxTokens));
    if (next === undefined) break;
    begins = next;
  }
  return { text: begins.trim() === "" ? "" : `text that begins:${begins}` };
}
