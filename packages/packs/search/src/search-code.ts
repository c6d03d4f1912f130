import { defineTool, detail, listSchema } from "@toolpacks/core";
import { z } from "zod";
import type { SearchContext } from "./context.ts";
import { globsDetail, globsField, limitField, nextField, whereField } from "./fields.ts";
import { languageNames } from "./languages/language.ts";
import { renderSources, skippedField } from "./sources/render-sources.ts";
import { patternHint, wordOf } from "./sources/pattern.ts";
import type { CodeMatch } from "./sources/parser-task.ts";
import { sourcePage, type SourceSearch } from "./sources/source-page.ts";

const input = z.object({
  pattern: z.string().min(1).max(10_000).describe("await $F($$$)"),
  language: z.enum(languageNames).meta(detail("of the pattern and of the files searched")),
  path: whereField,
  globs: globsField.meta(globsDetail),
  limit: limitField,
  cursor: nextField,
});

const output = listSchema(
  z.object({
    path: z.string(),
    matches: z.array(z.object({ line: z.int(), endLine: z.int(), text: z.string() })),
  }),
).extend({
  total: z.int().describe("matches"),
  skipped: skippedField,
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export function searchCode(context: SearchContext) {
  return defineTool({
    name: "search_code",
    description: "Find code by structure: $A is any node, $$$ any number.",
    keywords: ["ast-grep", "structural search", "syntax", "ast", "pattern", "calls", "usages", "refactor"],
    examples: [
      { say: "which promises are awaited in a call", args: { pattern: "await $F($$$)", language: "typescript" } },
      { say: "empty except blocks", args: { pattern: "try: $$$\nexcept $E: pass", language: "python" } },
    ],
    mutates: false,
    input,
    output,
    text: (page) =>
      renderSources(page, ({ matches }) => ({
        lines: matches.map(({ line, text }) => `${line}: ${text}`),
        hits: matches.length,
      })),
    handler: async (request, { signal }) => {
      const { pattern, language } = request;
      const word = wordOf(pattern);
      const text = word === undefined ? undefined : { literal: word, ignoreCase: false };
      const search: SourceSearch = { language, text, task: { kind: "code", pattern } };
      const { files, rest } = await sourcePage<CodeMatch>(request, search, { ...context, signal });
      return {
        items: files.map(({ path, found }) => ({ path, matches: found })),
        ...rest,
        ...(rest.total === 0 && rest.hint === undefined && { hint: patternHint }),
      };
    },
  });
}
