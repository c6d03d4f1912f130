import { defineTool, detail, listSchema } from "@toolpacks/core";
import { z } from "zod";
import type { SearchContext } from "./context.ts";
import { globsField, hiddenField, ignoredField, limitField, nextField, whereField } from "./fields.ts";
import { renderText } from "./text/render-text.ts";
import { countPage } from "./text/count-page.ts";
import { matchPage } from "./text/match-page.ts";

const input = z.object({
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
  globs: globsField.describe("such as *.ts, !test/**"),
  types: z.array(z.string().min(1).max(200)).max(50).optional().meta(detail("ripgrep's file types: ts, py, go")),
  hidden: hiddenField,
  ignored: ignoredField,
  context: z.int().min(0).max(20).optional().meta(detail("lines around each match")),
  mode: z
    .enum(["matches", "files", "count"])
    .optional()
    .meta(detail("lines (default), only the files, or how many in each")),
  limit: limitField,
  cursor: nextField,
});

export type TextRequest = z.output<typeof input>;

const output = listSchema(
  z.object({
    path: z.string(),
    lines: z
      .array(z.object({ line: z.int(), text: z.string(), context: z.boolean().optional().describe("near a match") }))
      .optional(),
    count: z.int().optional().describe("matching lines, in mode count"),
  }),
).extend({
  total: z.int().describe("matching lines; files in mode files"),
  files: z.int().optional().describe("files that match, in mode count"),
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export type TextPage = z.output<typeof output>;

/** `search_text`: lines that match, by ripgrep. */
export function searchText(context: SearchContext) {
  return defineTool({
    name: "search_text",
    description: "Find lines in files by regex or literal text.",
    keywords: ["grep", "ripgrep", "rg", "find in files", "content", "occurrences", "string", "code search"],
    examples: [
      { say: "where is TODO in the sources", args: { pattern: "TODO", globs: ["src/**"], limit: 50 } },
      { say: "how often is fetch called, by file", args: { pattern: "fetch(", literal: true, mode: "count" } },
    ],
    mutates: false,
    input,
    output,
    text: renderText,
    handler: (request, { signal }) =>
      request.mode === "count" ? countPage(request, context, signal) : matchPage(request, context, signal),
  });
}
