import { defineTool, detail, listSchema, ToolError } from "@toolpacks/core";
import { z } from "zod";
import type { SearchContext } from "./context.ts";
import { globsDetail, globsField, limitField, nextField, whereField } from "./fields.ts";
import { symbolsOf, type CodeSymbol } from "./languages/symbols.ts";
import { renderSources } from "./sources/render-sources.ts";
import { sourcePage } from "./sources/source-page.ts";

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
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

/** `search_symbols`: where functions, classes, methods and types are defined. */
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
      const wanted = name === undefined ? undefined : createNameFilter(name);
      const search = {
        text: wanted && { literal: wanted.last, ignoreCase: true },
        find: (...file: Parameters<typeof symbolsOf>) => {
          const symbols = symbolsOf(...file);
          return wanted === undefined ? symbols : symbols.filter(wanted.admits);
        },
      };
      const { files, rest } = await sourcePage(request, search, { ...context, signal });
      return { items: files.map(({ path, found }) => ({ path, symbols: found })), ...rest };
    },
  });
}

function line({ name, kind, line, endLine, in: around }: z.output<typeof symbolSchema>): string {
  const lines = line === endLine ? `${line}` : `${line}-${endLine}`;
  return `${lines} ${kind} ${around === undefined ? name : `${around}.${name}`}`;
}

/** A name, or part of one, with what it is a member of in front if need be: `Store.put`, `Store::put`. */
function createNameFilter(name: string) {
  if (/[\0\r\n]/.test(name)) throw new ToolError("invalid_input", "name: expected no line break or NUL");
  const parts = name.toLowerCase().split(/::|[.#]/);
  const last = parts.pop() ?? "";
  const around = parts.filter((part) => part !== "");
  const admits = (symbol: CodeSymbol) => {
    if (!symbol.name.toLowerCase().includes(last)) return false;
    const owners = (symbol.in ?? "").toLowerCase().split(".");
    return around.every((part, at) => owners[owners.length - around.length + at] === part);
  };
  return { last, admits };
}
