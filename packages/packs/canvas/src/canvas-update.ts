import { defineTool, detail, listed, ToolError } from "@toolpacks/core";
import { pathField, type Roots, writeEntry } from "@toolpacks/files";
import { z } from "zod";
import { requireCanvas } from "./canvas-file.ts";
import { changeOutput, changeResult, renderChange } from "./change-result.ts";
import { changeCanvas } from "./changed-canvas.ts";
import { parseDocument } from "./document.ts";
import { changeInput, edgeInput, itemId, nodeInput } from "./item-fields.ts";

const rows = listed({ type: "array", items: { type: "object" } });

const input = z.object({
  path: pathField.meta(detail("canvas to change")),
  add: z
    .array(nodeInput)
    .max(500)
    .optional()
    .meta({ ...rows, ...detail("nodes: {id, text|file|url|label, group?}") }),
  connect: z
    .array(edgeInput)
    .max(1000)
    .optional()
    .meta({ ...rows, ...detail("edges: {fromNode, toNode, label?}") }),
  change: z
    .array(changeInput)
    .max(500)
    .optional()
    .meta({ ...rows, description: "{id, …}" }),
  remove: z.array(itemId).max(500).optional().meta(detail("ids of nodes and edges; a node's edges go with it")),
});

/** `canvas_update`: adds, connects, changes, moves and removes nodes and edges, all or nothing. */
export function canvasUpdate(roots: Roots) {
  return defineTool({
    name: "canvas_update",
    description: "Change a canvas by ids.",
    keywords: ["edit canvas", "move node", "connect nodes", "add card", "remove edge", "rename", "recolor", "arrow"],
    examples: [
      {
        say: "a new step after b, and b in green",
        args: {
          path: "plan.canvas",
          add: [{ id: "c", text: "Test" }],
          connect: [{ fromNode: "b", toNode: "c" }],
          change: [{ id: "b", color: "4" }],
        },
      },
    ],
    mutates: true,
    effects: { files: ({ path }) => [{ path: roots.absolute(path) }] },
    input,
    output: changeOutput,
    text: (result) => renderChange("changed", result),
    handler: ({ path, add = [], connect = [], change = [], remove = [] }, { signal }) =>
      roots.at(
        path,
        async (place) => {
          const existing = await requireCanvas(place);
          if (add.length + connect.length + change.length + remove.length === 0)
            throw new ToolError("invalid_input", "expected add, connect, change or remove");
          const changed = await changeCanvas(parseDocument(existing.text), { add, connect, change, remove });
          signal.throwIfAborted();
          if (changed.text !== existing.text) await writeEntry(place, changed.text, { existing, signal });
          return changeResult(place.shown, changed);
        },
        { access: "write" },
      ),
  });
}
