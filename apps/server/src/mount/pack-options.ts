import { describeIssues } from "@toolpacks/core";
import { filesystem } from "@toolpacks/filesystem";
import { issues } from "@toolpacks/issues";
import { memory } from "@toolpacks/memory";
import { planner } from "@toolpacks/planner";
import { search } from "@toolpacks/search";
import { workflows } from "@toolpacks/workflows";
import { z } from "zod";
import { traceSettings } from "./trace-settings.ts";

const roots = z
  .array(z.string().min(1))
  .optional()
  .describe("folders whose files this pack may access, relative to this file; default: roots of this file");

const write = z.boolean().optional();
const fileWrite = write.describe("enable the tools that change files; default: write of this file");
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
  issues: issues.options.omit({ store: true }).extend({ roots, write: exportWrite }),
  memory: memory.options.omit({ store: true }).extend({ traces }),
  planner: planner.options.unwrap(),
  workflows: workflows.options.omit({ store: true, definitions: true, onBug: true }),
};

/** The problems of a bundled pack's options in the config file. Undefined if there are none. */
export function optionsProblem(name: string, options: object): string | undefined {
  const schema = packOptions[name];
  const issues = schema?.safeParse(options, { jitless: true }).error?.issues;
  return schema === undefined || issues === undefined ? undefined : `${name}: ${describeIssues(issues, schema)}`;
}
