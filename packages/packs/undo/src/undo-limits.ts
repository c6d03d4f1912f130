import { z } from "zod";

/** The limits of what is kept. */
export const undoLimits = z.strictObject({
  maxBytes: z.int().min(0).default(1_000_000_000).describe("maximum bytes that are kept; the oldest units go first"),
  days: z.number().positive().default(14).describe("days to keep how calls are taken back"),
  maxFileBytes: z.int().min(0).default(50_000_000).describe("larger files are not kept before they are changed"),
});
