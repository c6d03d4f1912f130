import { defineKind } from "@toolpacks/core";
import { z } from "zod";
import { entrySchema } from "./entry.ts";
import { jsonText } from "./json-text.ts";

/** One step of a report. Text fields hold JSON, so that any value can be stored. */
export const reportStepKind = defineKind({
  name: "report_step",
  schema: z.object({
    report: z.int(),
    path: z.string().max(900),
    order: z.string().max(900).describe("its place in the definition, to sort by"),
    entry: jsonText(entrySchema),
    /** JSON of the result, if it is short. */
    result: jsonText().optional(),
  }),
  indexes: [
    ["report", "order"],
    ["report", "path"],
  ],
});

/** A part of a long result's JSON. */
export const reportPartKind = defineKind({
  name: "report_part",
  schema: z.object({ report: z.int(), key: z.string().max(900), text: z.string() }),
  indexes: [["report", "key"]],
});
