import { defineTool, detail, listSchema, ToolError } from "@toolpacks/core";
import type { RootEntry } from "@toolpacks/core/roots";
import { lstat } from "node:fs/promises";
import { z } from "zod";
import type { SearchContext } from "./context.ts";
import { globsDetail, globsField, limitField, nextField, whereField } from "./fields.ts";
import type { CodeSymbol } from "./languages/symbols.ts";
import { isCursorOf } from "./paging/cursor.ts";
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
  exact: z.boolean().optional().meta(detail("the whole name, with a class's members; default: if one has this name")),
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
    description: "Find definitions of functions, classes, methods.",
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
      const { exact, ...others } = request;
      const isFile = request.path !== undefined && (await context.roots.at(request.path, isRegularFile));
      const pageOf = async (isExact: boolean | undefined) => {
        const list = isFile || isExact === true ? wholeList : context.list;
        const found = sourcePage<CodeSymbol>(keyed(others, isExact), searchOf(request.name, isExact), {
          ...context,
          list,
          signal,
        });
        const { files, rest } = await found;
        return { items: files.map(({ path, found }) => ({ path, symbols: found })), ...rest };
      };
      if (request.name === undefined || exact !== undefined) return pageOf(exact);
      const { limit: _limit, cursor, ...searchKey } = keyed(others, true);
      if (cursor !== undefined) return pageOf(isCursorOf(searchKey, cursor));
      const named = await pageOf(true);
      if (named.total === 0) return pageOf(false);
      if (splitName(request.name).owners.length > 0) return named;
      return { ...named, hint: [...(named.hint === undefined ? [] : [named.hint]), exactHint].join(" ") };
    },
  });
}

/** A list of one file, or of one name, is shown whole up to this number of symbols. */
const wholeList = { over: 300, show: 300 };

const exactHint = "Exact matches; exact: false also finds names that contain it.";

/** The request whose arguments must be the same for all pages. */
function keyed<T extends object>(request: T, exact: boolean | undefined): T & { readonly exact?: boolean } {
  return { ...request, ...(exact !== undefined && { exact }) };
}

function searchOf(name: string | undefined, exact = false): SourceSearch {
  if (name === undefined) return { task: { kind: "symbols" } };
  const { name: part, owners } = splitName(name);
  return {
    text: { literal: part, ignoreCase: !exact },
    task: { kind: "symbols", name: exact ? part : part.toLowerCase(), owners, exact },
  };
}

async function isRegularFile(place: RootEntry): Promise<boolean> {
  return (await lstat(place.path).catch(() => undefined))?.isFile() === true;
}

function line({ name, kind, line, endLine, in: around }: z.output<typeof symbolSchema>): string {
  const lines = line === endLine ? `${line}` : `${line}-${endLine}`;
  return `${lines} ${kind} ${around === undefined ? name : `${around}.${name}`}`;
}

/** Splits a name, or a part of one, from its owners: `Store.put`, `Store::put`. */
function splitName(qualified: string): { readonly name: string; readonly owners: readonly string[] } {
  if (/[\0\r\n]/.test(qualified)) throw new ToolError("invalid_input", "name: expected no line break or NUL");
  const parts = qualified.split(/::|[.#]/);
  const name = parts.pop() ?? "";
  return { name, owners: parts.filter((part) => part !== "").map((part) => part.toLowerCase()) };
}
