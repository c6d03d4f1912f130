import type { NodeType } from "./item-fields.ts";

/** Pixels of a character, a line and the space around a text, about those of Obsidian. */
const characterWidth = 8;
const lineHeight = 24;
const padding = 36;

const textWidth = 260;
const maxTextHeight = 600;

/** The size of a new node in pixels, if the caller gives none. A text has the lines that it needs, within limits. */
export function defaultSize(type: NodeType, text = ""): { readonly width: number; readonly height: number } {
  if (type === "file" || type === "link") return { width: 400, height: 400 };
  if (type === "group") return { width: 300, height: 200 };
  const columns = Math.floor((textWidth - padding) / characterWidth);
  const lines = text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  const height = Math.min(maxTextHeight, Math.max(60, lines * lineHeight + padding));
  return { width: textWidth, height };
}
