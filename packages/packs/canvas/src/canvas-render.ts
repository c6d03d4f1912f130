import { defineTool, detail, reply, ToolError, quoteName } from "@toolpacks/core";
import { pathField, type Roots } from "@toolpacks/files";
import { z } from "zod";
import { requireCanvas } from "./canvas-file.ts";
import { placedEdges, placedNodes } from "./canvas-nodes.ts";
import { parseDocument } from "./document.ts";

const input = z.object({ path: pathField.meta(detail("canvas to draw")) });
const output = z.object({ path: z.string(), nodes: z.int(), edges: z.int() });

const maxDrawn = 5_000;

/** `canvas_render`: draws a canvas as an SVG for people, as a resource in the result. */
export function canvasRender(roots: Roots) {
  return defineTool({
    name: "canvas_render",
    description: "Draw a canvas as SVG, for the user.",
    keywords: ["picture of a canvas", "show diagram", "image", "export svg", "preview"],
    examples: [{ args: { path: "plan.canvas" } }],
    mutates: false,
    media: true,
    input,
    output,
    handler: ({ path }, { signal }) =>
      roots.at(path, async (place) => {
        const document = parseDocument((await requireCanvas(place)).text);
        signal.throwIfAborted();
        const nodes = placedNodes(document.nodes);
        if (nodes.length > maxDrawn) {
          throw new ToolError(
            "too_large",
            `${quoteName(place.shown)}: ${nodes.length} nodes; at most ${maxDrawn} are drawn`,
          );
        }
        const edges = placedEdges(document.edges, nodes);
        const { renderSvg } = await import("./svg.ts");
        const uri = `canvas:///${place.shown.split("/").map(encodeURIComponent).join("/")}.svg`;
        const drawn = { path: place.shown, nodes: nodes.length, edges: edges.length };
        return reply(
          [
            { type: "text", text: `drew ${quoteName(place.shown)}: ${nodes.length} nodes, ${edges.length} edges` },
            { type: "resource", resource: { uri, mimeType: "image/svg+xml", text: renderSvg(nodes, edges) } },
          ],
          drawn,
        );
      }),
  });
}
