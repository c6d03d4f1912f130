import { defineTool, detail, listSchema, ToolError } from "@toolpacks/core";
import { z } from "zod";
import type { SearchContext } from "./context.ts";
import { globsDetail, globsField, limitField, nextField, whereField } from "./fields.ts";
import type { CodeSymbol } from "./languages/symbols.ts";
import { skippedField } from "./sources/skipped.ts";
import { renderSources } from "./sources/render-sources.ts";
import { sourcePage, type SourceSearch } from "./sources/source-page.ts";

const input = z.object({
  name: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta(detail("of a definition, or a part of it; Type.member finds members")),
  path: whereField,
  globs: globsField.meta(globsDetail),
  limit: limitField,
  cursor: nextField,
});

const symbolSchema = z.object({
  name: z.string(),
  kind: z.string(),
  line: z.int(),
  endLine: z.int(),
  in: z.string().optional().describe("what it is a member of"),
});

const output = listSchema(z.object({ path: z.string(), symbols: z.array(symbolSchema) })).extend({
  total: z.int().describe("definitions"),
  skipped: skippedField,
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

/** `search_symbols`: finds definitions of functions, classes, methods and types. */
export function searchSymbols(context: SearchContext) {
  return defineTool({
    name: "search_symbols",
    description: "List definitions (functions, classes, methods), or find them by name.",
    keywords: ["outline", "go to definition", "ctags", "where is it defined", "structure", "declaration", "api"],
    examples: [
      { say: "what is in this file", args: { path: "src/server.ts", limit: 100 } },
      { say: "where is parseConfig defined", args: { name: "parseConfig" } },
    ],
    mutates: false,
    input,
    output,
    text: (page) => renderSources(page, ({ symbols }) => symbols.map(line)),
    handler: async (request, { signal }) => {
      const { name } = request;
      const parts = name === undefined ? undefined : splitName(name);
      const search: SourceSearch = {
        text: parts && { literal: parts.name, ignoreCase: true },
        task: { kind: "symbols", ...parts },
      };
      const { files, rest } = await sourcePage<CodeSymbol>(request, search, { ...context, signal });
      return { items: files.map(({ path, found }) => ({ path, symbols: found })), ...rest };
    },
  });
}

function line({ name, kind, line, endLine, in: around }: z.output<typeof symbolSchema>): string {
  const lines = line === endLine ? `${line}` : `${line}-${endLine}`;
  return `${lines} ${kind} ${around === undefined ? name : `${around}.${name}`}`;
}

/** Splits a name, or a part of one, from its owners: `Store.put`, `Store::put`. */
function splitName(qualified: string): { readonly name: string; readonly owners: readonly string[] } {
  if (/[\0\r\n]/.test(qualified)) throw new ToolError("invalid_input", "name: expected no line break or NUL");
  const parts = qualified.toLowerCase().split(/::|[.#]/);
  const name = parts.pop() ?? "";
  return { name, owners: parts.filter((part) => part !== "") };
}
