import { defineTool, listSchema, renderList } from "@toolpacks/core";
import { quoteName } from "@toolpacks/core/roots";
import { z } from "zod";
import type { SearchContext } from "./context.ts";
import { hiddenField, ignoredField, limitField, nextField, whereField } from "./fields.ts";
import { bestPage } from "./files/best-page.ts";
import { newestPage } from "./files/newest-page.ts";

const input = z.object({
  fuzzy: z.string().min(1).max(500).optional().describe("part of a path; best first"),
  glob: z.string().min(1).max(1000).optional().describe("such as **/*.ts; newest first"),
  path: whereField,
  hidden: hiddenField,
  ignored: ignoredField,
  limit: limitField,
  cursor: nextField,
});

export type FilesRequest = z.output<typeof input>;

const output = listSchema(z.object({ path: z.string() })).extend({
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export type FilesPage = z.output<typeof output>;

/** `search_files`: files by their names. */
export function searchFiles(context: SearchContext) {
  return defineTool({
    name: "search_files",
    description: "Find files by name.",
    keywords: ["find", "fd", "quick open", "go to file", "glob", "fuzzy", "recent", "newest", "filename", "locate"],
    examples: [
      { say: "open the search text file", args: { fuzzy: "search text" } },
      { say: "which tests changed last", args: { glob: "**/*.test.ts", limit: 10 } },
    ],
    mutates: false,
    input,
    output,
    text: (page) => renderList(page, ({ path }) => quoteName(path)),
    handler: (request, { signal }) =>
      request.fuzzy === undefined ? newestPage(request, context, signal) : bestPage(request, context, signal),
  });
}
