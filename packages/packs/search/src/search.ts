import { definePack, listOption } from "@toolpacks/core";
import { z } from "zod";

/** Search within given roots: text, names, code by its structure, definitions. Nothing outside the roots is reachable. */
export const search = definePack({
  name: "search",
  description: "Search files: text by regex, names by glob or fuzzily, code by its structure, definitions of symbols.",
  budget: 500,
  options: z.strictObject({
    roots: z.array(z.string().min(1)).min(1).describe("directories within which files are searched"),
    timeoutMs: z
      .int()
      .min(100)
      .max(600_000)
      .default(30_000)
      .describe("milliseconds after which a search ends with what it has"),
    list: listOption("hits", { over: 20, show: 20 }),
  }),
  tools: async (options) => (await import("./tools.ts")).createTools(options),
});
