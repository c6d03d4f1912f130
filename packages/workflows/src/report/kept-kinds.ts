import { defineKind } from "@toolpacks/core";
import { z } from "zod";
import { entrySchema } from "./entry.ts";
import { jsonText } from "./json-text.ts";

/** One step of a report. Text fields hold JSON, so that no value is one that a database cannot hold. */
export const reportStepKind = defineKind({
  name: "report_step",
  schema: z.object({
    report: z.int(),
    path: z.string().max(900),
    order: z.string().max(900).describe("its place in the definition, to sort by"),
    entry: jsonText(entrySchema),
    /** The result's JSON, where it is short. */
    result: jsonText().optional(),
  }),
  indexes: [
    ["report", "order"],
    ["report", "path"],
  ],
});

/** A piece of a long result's JSON. */
export const reportPartKind = defineKind({
  name: "report_part",
  schema: z.object({ report: z.int(), key: z.string().max(900), text: z.string() }),
  indexes: [["report", "key"]],
});
