import { defineTool } from "@toolpacks/core";
import type { SearchContext } from "./context.ts";
import { countPage } from "./text/count-page.ts";
import { matchPage } from "./text/match-page.ts";
import { renderText, textPage } from "./text/text-page.ts";
import { textRequest } from "./text/text-request.ts";

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
    input: textRequest,
    output: textPage,
    text: renderText,
    handler: async (request, { signal }) => {
      if (request.mode !== "count" && request.limit !== 0) return matchPage(request, context, signal);
      const { files, ...page } = await countPage(request, context, signal);
      return request.mode === "files" ? { ...page, total: files ?? 0 } : { ...page, files };
    },
  });
}
