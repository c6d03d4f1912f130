import { listSchema } from "@toolpacks/core";
import { z } from "zod";
import { hiddenField, ignoredField, limitField, nextField, whereField } from "../fields.ts";

export const filesRequest = z.object({
  fuzzy: z.string().min(1).max(500).optional().describe("best first"),
  glob: z.string().min(1).max(1000).optional().describe("**/*.ts; newest first"),
  path: whereField,
  hidden: hiddenField,
  ignored: ignoredField,
  limit: limitField,
  cursor: nextField,
});

export type FilesRequest = z.output<typeof filesRequest>;

export const filesPage = listSchema(z.object({ path: z.string() })).extend({
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export type FilesPage = z.output<typeof filesPage>;
