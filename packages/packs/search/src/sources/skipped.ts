import { z } from "zod";

/** Maximum number of skipped files that a page names. */
export const maxSkippedShown = 20;

/** The skipped files with their reasons. */
export const skippedField = z
  .array(z.object({ path: z.string(), reason: z.string() }))
  .optional()
  .describe("files that could not be parsed");

export type Skipped = NonNullable<z.output<typeof skippedField>>[number];
