import { defineTool, detail, listSchema } from "@toolpacks/core";
import type { NapiConfig } from "@ast-grep/napi";
import { z } from "zod";
import type { SearchContext } from "./context.ts";
import { globsDetail, globsField, limitField, nextField, whereField } from "./fields.ts";
import { languageNames, parsersOf } from "./languages/language.ts";
import { loadParser } from "./languages/parser.ts";
import { renderSources } from "./sources/render-sources.ts";
import { codeRule, findCode, patternHint, wordOf } from "./sources/code-rule.ts";
import { sourcePage } from "./sources/source-page.ts";

const input = z.object({
  pattern: z.string().min(1).max(10_000).describe("such as await $F($$$)"),
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
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

/** How much of a match is shown. */
const mostText = 300;

/** `search_code`: code of a certain structure, by ast-grep. */
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
    text: (page) => renderSources(page, ({ matches }) => matches.map(({ line, text }) => `${line}: ${text}`)),
    handler: async (request, { signal }) => {
      const { pattern, language } = request;
      const parse = await loadParser();
      const rules = new Map<string, NapiConfig>();
      for (const one of parsersOf(language)) rules.set(one.parser, await codeRule(pattern, one, parse));
      const word = wordOf(pattern);
      const { files, rest } = await sourcePage(
        request,
        {
          language,
          text: word === undefined ? undefined : { literal: word, ignoreCase: false },
          find: (root, { parser }) =>
            findCode(root, rules.get(parser) ?? { rule: { pattern } }).map((node) => {
              const { start, end } = node.range();
              return { line: start.line + 1, endLine: end.line + 1, text: shorten(node.text()) };
            }),
        },
        { ...context, signal },
      );
      return {
        items: files.map(({ path, found }) => ({ path, matches: found })),
        ...rest,
        ...(rest.total === 0 && rest.hint === undefined && { hint: patternHint }),
      };
    },
  });
}

/** On one line, cut where it is long. */
function shorten(code: string): string {
  const line = code.replaceAll(/\s+/g, " ");
  return line.length <= mostText ? line : `${line.slice(0, mostText).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
