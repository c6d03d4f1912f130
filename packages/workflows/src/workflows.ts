import { definePack, defineStepType, isObject, storeSchema } from "@toolpacks/core";
import type { Models } from "@toolpacks/models";
import { z } from "zod";
import { openLibrary } from "./definition/open-library.ts";
import { runLimits } from "./engine/run-limits.ts";
import { workflowPrompts } from "./prompts.ts";
import { reportKind } from "./report/report-kind.ts";

/** `value`: builds a value from earlier results. */
const valueStep = defineStepType({
  name: "value",
  description: "Makes a value of earlier results: what its params come to.",
  mutates: false,
  params: z.looseObject({}),
  run: (params) => params,
});

/** The pack of workflows: named sequences of steps over all mounted tools. Each run writes a report. */
export const workflows = definePack({
  name: "workflows",
  description: "Run sequences of tool calls as one: configured workflows or steps of your own, each run with a report.",
  budget: 620,
  core: ["workflow_eval"],
  kinds: [reportKind],
  options: z.strictObject({
    store: storeSchema,
    definitions: openLibrary.prefault({}).describe("workflows by name, or a library of them"),
    models: z
      .custom<Models>(
        (value) => isObject(value) && typeof value["ask"] === "function",
        "expected models of createModels",
      )
      .optional()
      .describe("the models of steps; default: none"),
    inline: z
      .array(z.string().min(1).max(64))
      .default(["tool", "workflow", "parallel", "forEach", "value", "ask", "wait", "issue", "code", "prompt"])
      .describe("kinds of step, and step types of packs, that are allowed in steps of a call"),
    reports: z
      .strictObject({
        keep: z.int().min(1).default(1_000).describe("maximum number of reports; the oldest are removed first"),
        days: z.number().min(0).default(30).describe("maximum age in days"),
      })
      .prefault({})
      .describe("maximum number and age in days of the reports of each workspace"),
    limits: runLimits.prefault({}).describe("limits of one run"),
    onBug: z
      .custom<(error: unknown, name: string) => void>((value) => typeof value === "function")
      .default(() => (error: unknown, name: string) => console.error(`toolpacks: step ${name} failed:`, error)),
  }),
  steps: () => [valueStep],
  prompts: ({ definitions }) => workflowPrompts(definitions),
  tools: async ({ definitions, ...options }) =>
    (await import("./tools.ts")).createTools({ ...options, library: definitions }),
});
