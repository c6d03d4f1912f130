import { clip, defineTool, detail, ToolError, visibleText, quoteName } from "@toolpacks/core";
import { pathField, type Roots } from "@toolpacks/files";
import { z } from "zod";
import { requireCanvas } from "./canvas-file.ts";
import { canvasMistakes } from "./canvas-mistakes.ts";
import { membersOf, placedEdges, placedNodes, type PlacedEdge, type PlacedNode } from "./canvas-nodes.ts";
import { parseDocument } from "./document.ts";
import { itemId } from "./item-fields.ts";
import { findCanvases } from "./find-canvases.ts";

const input = z.object({
  path: pathField.optional().describe("or folder"),
  id: itemId.optional().meta(detail("only this node or group, in full")),
});

const output = z.object({
  path: z.string(),
  canvases: z.array(z.string()).optional().describe("paths, of a folder"),
  nodes: z.array(z.string()).optional().describe("id, type and content, indented in groups"),
  edges: z.array(z.string()).optional().describe("from -> to label (id)"),
  fields: z.record(z.string(), z.unknown()).optional().describe("of the node with the id"),
  mistakes: z.array(z.string()).optional().describe("what the specification forbids"),
  more: z.string().optional().describe("what was left out"),
});

type Result = z.output<typeof output>;

const maxLines = 400;

/** `canvas_read`: lists canvases, or shows one as an outline, or one of its groups or nodes. */
export function canvasRead(roots: Roots) {
  return defineTool({
    name: "canvas_read",
    description: "Outline a .canvas file, or list them.",
    keywords: [
      "open canvas",
      "json canvas",
      "obsidian",
      "mind map",
      "diagram",
      "whiteboard",
      "cards",
      "nodes and edges",
    ],
    examples: [
      { say: "which canvases are there", args: {} },
      { say: "the outline of a canvas", args: { path: "plan.canvas" } },
    ],
    mutates: false,
    input,
    output,
    text: render,
    handler: async ({ path = ".", id }, { signal }) => {
      if (!path.toLowerCase().endsWith(".canvas") && id === undefined) return await findCanvases(roots, path, signal);
      return await roots.at(path, async (place) => {
        const { text } = await requireCanvas(place);
        signal.throwIfAborted();
        return outline(place.shown, text, id);
      });
    },
  });
}

function outline(path: string, text: string, id: string | undefined): Result {
  const document = parseDocument(text);
  const nodes = placedNodes(document.nodes);
  const edges = placedEdges(document.edges, nodes);
  const mistakes = canvasMistakes(document);
  const all = mistakes.length === 0 ? {} : { mistakes: mistakes.slice(0, maxLines).map((line) => visibleText(line)) };
  if (id === undefined) return { path, ...lines(nodes, edges), ...all };
  const node = nodes.find((one) => one.id === id);
  if (node !== undefined) {
    const ids = node.type === "group" ? membersOf(node, nodes) : new Set();
    const own = edges.filter(({ from, to }) => [from, to].some((end) => end === id || ids.has(end)));
    return {
      path,
      fields: node.fields,
      ...lines(
        nodes.filter((one) => ids.has(one.id)),
        own,
      ),
    };
  }
  const edge = document.edges.find(({ fields }) => fields["id"] === id);
  if (edge !== undefined) return { path, fields: edge.fields };
  const message = `id: ${quoteName(path)} has no ${JSON.stringify(id)}`;
  throw new ToolError("not_found", message, "canvas_read without id lists the ids.");
}

function lines(nodes: readonly PlacedNode[], edges: readonly PlacedEdge[]): Partial<Result> {
  const all = outlineNodes(nodes);
  const isCut = all.length > maxLines || edges.length > maxLines;
  const counts = `${all.length} nodes and ${edges.length} edges in all; read a group by its id`;
  return {
    nodes: all.slice(0, maxLines),
    edges: edges.slice(0, maxLines).map(edgeLine),
    ...(isCut && { more: counts }),
  };
}

function render({ path, canvases, nodes = [], edges = [], fields, mistakes = [], more }: Result): string {
  if (canvases !== undefined) {
    const found = canvases.length === 0 ? [`no canvases in ${quoteName(path)}`] : canvases.map(quoteName);
    return [...found, ...(more === undefined ? [] : [`(${more})`])].join("\n");
  }
  return [
    fields === undefined ? `${quoteName(path)}: ${nodes.length} nodes, ${edges.length} edges` : JSON.stringify(fields),
    ...nodes,
    ...(edges.length === 0 ? [] : ["edges:", ...edges]),
    ...(mistakes.length === 0 ? [] : ["mistakes:", ...mistakes]),
    ...(more === undefined ? [] : [`(${more})`]),
  ].join("\n");
}

const maxPreview = 80;

/** The lines of nodes below their groups, with two spaces for each level. */
function outlineNodes(nodes: readonly PlacedNode[]): readonly string[] {
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
function edgeLine({ id, from, to, label }: PlacedEdge): string {
  const name = label === "" ? "" : ` ${preview(label)}`;
  return `${visibleText(from)} -> ${visibleText(to)}${name} (${visibleText(id)})`;
}

function nodeLine({ id, type, content }: PlacedNode): string {
  return `${visibleText(id)} ${visibleText(type)}${content === "" ? "" : ` ${preview(content)}`}`;
}

/** The start of a content on one line. */
function preview(content: string): string {
  return visibleText(clip(content.replace(/\s+/g, " ").trim(), maxPreview).toWellFormed());
}
