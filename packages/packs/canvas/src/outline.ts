import { visibleText } from "@toolpacks/core";
import type { PlacedEdge, PlacedNode } from "./canvas-nodes.ts";

const maxPreview = 80;

/** The lines of nodes below their groups, with two spaces for each level. */
export function outlineNodes(nodes: readonly PlacedNode[]): readonly string[] {
  const shown = new Set(nodes.map(({ id }) => id));
  const children = Map.groupBy(nodes, ({ parent }) => (parent !== undefined && shown.has(parent) ? parent : undefined));
  const lines: string[] = [];
  const add = (parent: string | undefined, indent: string) => {
    for (const node of children.get(parent) ?? []) {
      lines.push(`${indent}${nodeLine(node)}`);
      add(node.id, `${indent}  `);
    }
  };
  add(undefined, "");
  return lines;
}

/** The line of an edge. Its id is for changes. */
export function edgeLine({ id, from, to, label }: PlacedEdge): string {
  const name = label === "" ? "" : ` ${preview(label)}`;
  return `${visibleText(from)} -> ${visibleText(to)}${name} (${visibleText(id)})`;
}

function nodeLine({ id, type, content }: PlacedNode): string {
  return `${visibleText(id)} ${visibleText(type)}${content === "" ? "" : ` ${preview(content)}`}`;
}

/** The start of a content on one line. */
export function preview(content: string): string {
  const line = content.replace(/\s+/g, " ").trim();
  const cut = line.length > maxPreview ? `${line.slice(0, maxPreview).replace(/[\uD800-\uDBFF]$/, "")}…` : line;
  return visibleText(cut.toWellFormed());
}
