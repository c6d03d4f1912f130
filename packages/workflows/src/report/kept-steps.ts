import { z } from "zod";
import { entrySchema } from "./entry.ts";
import { jsonText } from "./json-text.ts";

/** Steps in the report's own record. */
export const keptSteps = z.array(
  z.object({
    entry: entrySchema,
    order: z.string().describe("its place in the definition, to sort by"),
    result: jsonText().optional().describe("where there is one and it is short"),
  }),
);
