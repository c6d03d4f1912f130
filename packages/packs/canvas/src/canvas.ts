import { absolutePaths, definePack } from "@toolpacks/core";
import { z } from "zod";

/** The canvas pack: reads, writes, changes and draws JSON Canvas files within given roots. Nothing outside the roots is reachable. */
export const canvas = definePack({
  name: "canvas",
  description: ({ write }) =>
    write
      ? "Read, write, change and draw canvases: .canvas files with cards, groups and arrows."
      : "Read and draw canvases: .canvas files with cards, groups and arrows.",
  budget: 250,
  options: z.strictObject({
    roots: z.array(z.string().min(1)).min(1).describe("directories within which canvases may be reached"),
    write: z.boolean().default(false).describe("offer the tools that change canvases"),
    protectedPaths: absolutePaths.describe("absolute paths of further files and folders that are never changed"),
  }),
  tools: async (options) => (await import("./tools.ts")).createTools(options),
  withheld: ({ write }) => (write ? [] : [{ names: writingTools, reason: "writing is off", hint: writeHint }]),
});

const writingTools = ["canvas_write", "canvas_update"];
const writeHint = "The user can allow it: start with --write, or canvas({ roots, write: true }).";
