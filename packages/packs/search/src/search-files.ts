import { defineTool, renderList, quoteName } from "@toolpacks/core";
import type { SearchContext } from "./context.ts";
import { bestPage } from "./files/best-page.ts";
import { filesPage } from "./files/files-page.ts";
import { filesRequest } from "./files/files-request.ts";
import { newestPage } from "./files/newest-page.ts";
import { withGlobHint } from "./with-glob-hint.ts";

/** `search_files`: finds files by their names. */
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
    handler: async (request, { signal }) => {
      const pageOf = request.fuzzy === undefined ? newestPage : bestPage;
      const { path, glob } = request;
      return withGlobHint(await pageOf(request, context, signal), { path, globs: glob === undefined ? [] : [glob] });
    },
  });
}
