import { canvas } from "@toolpacks/canvas";
import { filesystem } from "@toolpacks/filesystem";
import { issues } from "@toolpacks/issues";
import { memory } from "@toolpacks/memory";
import { planner } from "@toolpacks/planner";
import { prompts } from "@toolpacks/prompts";
import { search } from "@toolpacks/search";
import { describeMistakes } from "@toolpacks/settings";
import { trackerSync } from "@toolpacks/tracker-sync";
import { undoLimits } from "@toolpacks/undo";
import { workflows } from "@toolpacks/workflows";
import { z } from "zod";
import { traceSettings } from "./trace-settings.ts";

const roots = z
  .array(z.string().min(1))
  .optional()
  .describe("folders whose files this pack may access, relative to this file; default: roots of this file");

const write = z.boolean().optional();
const fileWrite = write.describe("enable the tools that change files; default: write of this file");
const canvasWrite = write.describe("enable the tools that change canvases; default: write of this file");
const exportWrite = write.describe("let issue_export write files within the roots; default: write of this file");
const traces = traceSettings()
  .optional()
  .describe("whether calls are recorded, and the limits of the records; default true");

/**
 * The options of each bundled pack in the config file: the options of its factory, without what only the server can pass. The config file's JSON
 * Schema shows them.
 */
export const packOptions: Readonly<Record<string, z.ZodObject>> = {
  filesystem: filesystem.options.extend({ roots, write: fileWrite }),
  search: search.options.extend({ roots }),
  canvas: canvas.options.extend({ roots, write: canvasWrite }),
  issues: issues.options.omit({ store: true }).extend({ roots, write: exportWrite }),
  memory: memory.options.omit({ store: true, meaning: true }).extend({ traces }),
  planner: planner.options.unwrap(),
  prompts: prompts.options.omit({ models: true }),
  "tracker-sync": trackerSync.options,
  undo: undoLimits,
  workflows: workflows.options.omit({ store: true, definitions: true, models: true, onBug: true }),
};

/** The mistakes in the options of a bundled pack in the config file. */
export function optionsMistakes(name: string, options: object): readonly string[] {
  const schema = packOptions[name];
  const issues = schema?.safeParse(options, { jitless: true }).error?.issues ?? [];
  if (schema === undefined) return [];
  const placeOf = ({ path }: z.core.$ZodIssue) => path.join("\n");
  const places = issues.map(placeOf);
  // A value of a wrong type may also break a limit.
  const first = issues.filter((issue, index) => places.indexOf(placeOf(issue)) === index);
  return describeMistakes(first, schema).map(({ message }) => `packs.${name}.${message}`);
}
