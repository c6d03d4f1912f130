import { defineTool, renderList, quoteName } from "@toolpacks/core";
import type { SearchContext } from "./context.ts";
import { filesPage, filesRequest } from "./files/files-request.ts";
import { findFiles } from "./files/find-files.ts";

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
    input: filesRequest,
    output: filesPage,
    // A page of a single file answers how many there are.
    text: ({ cursor, ...page }) =>
      renderList(page.items.length > 1 ? { ...page, cursor } : page, ({ path }) => quoteName(path)),
    handler: (request, { signal }) => findFiles(request, context, signal),
  });
}
