import { z } from "zod";

/** A page names so many skipped files. */
export const maxSkippedShown = 20;

/** The files that were not searched, and why. */
export const skippedField = z
  .array(z.object({ path: z.string(), reason: z.string() }))
  .optional()
  .describe("files that could not be parsed");

export type Skipped = NonNullable<z.output<typeof skippedField>>[number];
