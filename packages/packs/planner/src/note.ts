import { defineKind } from "@toolpacks/core";
import { z } from "zod";

/** The note kind: a short text. Closing a note archives it. */
export const note = defineKind({
  name: "note",
  description: "A text worth keeping, with tags.",
  schema: () =>
    z.object({
      text: z.string().min(1).max(100_000),
      tags: z.array(z.string().min(1).max(100)).max(50).optional(),
      note: z.string().max(10_000).optional().meta({ description: "set by closing", readOnly: true }),
    }),
  indexes: ["tags"],
  text: ["text", "tags", "note"],
  meaning: ["text"],
  close: (_record, { note: reason }) => (reason === undefined ? {} : { note: reason }),
  keywords: ["remember", "write down", "memo"],
  examples: [{ text: "The staging password rotates on Mondays.", tags: ["staging"] }],
});
