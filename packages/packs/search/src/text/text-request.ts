import { detail } from "@toolpacks/core";
import { z } from "zod";
import { globsDetail, globsField, hiddenField, ignoredField, limitField, nextField, whereField } from "../fields.ts";

export const textRequest = z.object({
  pattern: z.string().min(1).max(10_000).describe("regex"),
  path: whereField,
  literal: z.boolean().optional().meta(detail("the pattern is text, not a regex")),
  case: z
    .enum(["smart", "sensitive", "insensitive"])
    .optional()
    .meta(detail("default smart: exact where the pattern has a capital")),
  word: z.boolean().optional().meta(detail("whole words only")),
  multiline: z
    .boolean()
    .optional()
    .meta(detail("a match may span lines; (?s) lets . match line breaks; files up to 64 MiB")),
  globs: globsField.meta(globsDetail),
  types: z.array(z.string().min(1).max(200)).max(50).optional().meta(detail("ripgrep's file types: ts, py, go")),
  hidden: hiddenField,
  ignored: ignoredField,
  context: z.int().min(0).max(20).optional().meta(detail("lines before and after each match")),
  before: z.int().min(0).max(20).optional().meta(detail("lines before each match; default context")),
  after: z.int().min(0).max(20).optional().meta(detail("lines after each match; default context")),
  mode: z
    .enum(["matches", "files", "count"])
    .optional()
    .meta(detail("lines (default), only the files, or how many in each")),
  limit: limitField,
  cursor: nextField,
});

export type TextRequest = z.output<typeof textRequest>;

/** The number of lines to show before and after each match. */
export function linesAround({ context = 0, before = context, after = context }: TextRequest) {
  return { before, after };
}
