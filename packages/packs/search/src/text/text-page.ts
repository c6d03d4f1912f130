import { listSchema } from "@toolpacks/core";
import { z } from "zod";

export const textPage = listSchema(
  z.object({
    path: z.string(),
    lines: z
      .array(
        z.object({
          line: z.int(),
          text: z.string(),
          in: z.string().optional().describe("the definition around a match"),
          context: z.boolean().optional().describe("near a match"),
        }),
      )
      .optional(),
    count: z.int().optional().describe("matching lines, in mode count"),
  }),
).extend({
  total: z.int().describe("matching lines; files in mode files"),
  files: z.int().optional().describe("files that match, in mode count"),
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export type TextPage = z.output<typeof textPage>;
