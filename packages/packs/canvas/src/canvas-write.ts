import { defineTool, detail, listed, ToolError, quoteName } from "@toolpacks/core";
import { pathField, type Roots, writeEntry } from "@toolpacks/files";
import { z } from "zod";
import { readCanvas } from "./canvas-file.ts";
import { changeOutput, changeResult, renderChange } from "./change-result.ts";
import { changeCanvas } from "./changed-canvas.ts";
import { emptyCanvas, parseDocument } from "./document.ts";
import { edgeInput, nodeInput } from "./item-fields.ts";

const rows = listed({ type: "array", items: { type: "object" } });

const input = z.object({
  path: pathField.meta(detail("file to write, with .canvas at the end")),
  nodes: z
    .array(nodeInput)
    .max(1000)
    .meta({ ...rows, description: "{id, text|file|url|label, group?}; label makes a group" }),
  edges: z
    .array(edgeInput)
    .max(2000)
    .optional()
    .meta({ ...rows, description: "{fromNode, toNode, label?}" }),
  overwrite: z.boolean().optional().meta(detail("replace an existing file; default false")),
});

/** `canvas_write`: writes a new canvas, and lays out what has no position. */
export function canvasWrite(roots: Roots) {
  return defineTool({
    name: "canvas_write",
    description: "Write a .canvas file; laid out.",
    keywords: [
      "create canvas",
      "new diagram",
      "draw a mind map",
      "flowchart",
      "json canvas",
      "obsidian",
      "boxes and arrows",
    ],
    examples: [
      {
        say: "two steps with an arrow, in a group",
        args: {
          path: "plan.canvas",
          nodes: [
            { id: "week", label: "This week" },
            { id: "a", text: "Design", group: "week" },
            { id: "b", text: "Build", group: "week" },
          ],
          edges: [{ fromNode: "a", toNode: "b" }],
        },
      },
    ],
    mutates: true,
    effects: { idempotent: false, files: ({ path }) => [{ path: roots.absolute(path) }] },
    input,
    output: changeOutput,
    text: (result) => renderChange("wrote", result),
    handler: ({ path, nodes, edges = [], overwrite = false }, { signal }) =>
      roots.at(
        path,
        async (place) => {
          const existing = await readCanvas(place);
          if (existing !== undefined && !overwrite) {
            throw new ToolError(
              "conflict",
              `${quoteName(place.shown)}: it exists already`,
              "Pass overwrite: true to replace it, or change it with canvas_update.",
            );
          }
          const request = { add: nodes, connect: edges, change: [], remove: [] };
          const changed = await changeCanvas(parseDocument(emptyCanvas), request);
          await writeEntry(place, changed.text, { existing, signal });
          return changeResult(place.shown, changed);
        },
        { access: "write" },
      ),
  });
}
