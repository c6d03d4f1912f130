import { defineTool, detail, listSchema, ToolError } from "@toolpacks/core";
import { z } from "zod";
import type { SearchContext } from "./context.ts";
import { globsDetail, globsField, limitField, nextField, whereField } from "./fields.ts";
import type { CodeReference } from "./languages/references.ts";
import type { CodeSymbol } from "./languages/symbols.ts";
import { renderNamedLines } from "./named-lines.ts";
import { isCursorOf } from "./paging/cursor.ts";
import { renderSources, skippedField } from "./sources/render-sources.ts";
import { sourcePage, type SourceSearch } from "./sources/source-page.ts";
import { rankNear, ranks, rankSymbols, type SymbolFile } from "./symbol-ranking.ts";
import { isFile } from "./target.ts";

const input = z.object({
  name: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta(detail("of a definition, or a part of it; Type.member finds members")),
  references: z.boolean().optional().meta(detail("also the lines that use the whole name, such as its callers")),
  exact: z.boolean().optional().meta(detail("the whole name, with a class's members; default: if one has this name")),
  path: whereField,
  globs: globsField.meta(globsDetail),
  limit: limitField,
  cursor: nextField,
});

type Request = z.output<typeof input>;

const symbolSchema = z.object({
  name: z.string(),
  kind: z.string().describe("class, function, …; reference; use: of a variable or property"),
  line: z.int(),
  endLine: z.int(),
  in: z.string().optional().describe("what it is a member of; of a reference, the definition around it"),
  text: z.string().optional().describe("the line, of a reference"),
});

const output = listSchema(z.object({ path: z.string(), symbols: z.array(symbolSchema) })).extend({
  total: z.int().describe("definitions and references"),
  skipped: skippedField,
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export function searchSymbols(context: SearchContext) {
  return defineTool({
    name: "search_symbols",
    description: "Find definitions of functions, classes, methods, and references to them.",
    keywords: [
      "outline",
      "go to definition",
      "ctags",
      "where is it defined",
      "structure",
      "declaration",
      "api",
      "find callers",
      "who calls",
      "usages",
      "find references",
    ],
    examples: [
      { say: "where is parseConfig defined, and what calls it", args: { name: "parseConfig", references: true } },
      { say: "what is in this file", args: { path: "src/server.ts", limit: 100 } },
    ],
    mutates: false,
    input,
    output,
    text: (page) => renderSources(page, ({ symbols }) => ({ lines: renderSymbols(symbols), hits: symbols.length })),
    handler: async (request, { signal }) => {
      const { exact, references = false, cursor } = request;
      const isOneFile = request.path !== undefined && (await isFile(context.roots, request.path));
      const keyOf = (changed: Partial<Request>) => ({ ...request, references: references || undefined, ...changed });
      const pageOf = async (changed: Partial<Request>) => {
        const list = isOneFile || changed.exact === true ? wholeList : context.list;
        const wanted = keyOf(changed);
        const settings = { ...context, list, signal };
        const { files, rest } = await sourcePage<CodeSymbol | CodeReference>(wanted, searchOf(wanted), settings);
        return { items: files.map(({ path, found }) => ({ path, symbols: found })), ...rest };
      };
      if (references && request.name === undefined)
        throw new ToolError("invalid_input", "references: expected with a name");
      if (references && exact === false)
        throw new ToolError("invalid_input", "exact: expected true or nothing with references");
      if (request.name === undefined || (!references && exact !== undefined)) return pageOf({});
      const { limit: _limit, cursor: _cursor, ...searchKey } = keyOf({ exact: true });
      if (cursor !== undefined) return pageOf({ exact: references || isCursorOf(searchKey, cursor) });
      return namedSymbols(request, pageOf, exact === true || isOneFile);
    },
  });
}

/** A list of one file, or of one name, is shown whole up to this number of symbols. */
const wholeList = { over: 300, show: 300 };

/** Maximum definitions that are read to find other names, and names that are shown. With references, fewer are shown. */
const maxNear = { read: 500, shown: 8, used: 3 } as const;
/** Maximum lines of another name, or of variables and properties. */
const maxFew = 6;

type Page = Omit<z.output<typeof output>, "items"> & { readonly items: SymbolFile[] };

/**
 * The first answer for a name, ranked. Unless it is clear what is meant, it has other names with this word. Without a limit that has room for all, references
 * that say little are cut.
 *
 * @param isPlain whether this name is wanted and no other, whole: with `exact`, or in one file
 */
async function namedSymbols(
  { name: qualified = "", limit, references = false }: Request,
  pageOf: (changed: Partial<Request>) => Promise<Page>,
  isPlain: boolean,
): Promise<Page> {
  const { name, owners } = splitName(qualified);
  // What is ranked is the whole, of which the limit shows the best.
  const named = await pageOf({ exact: true, limit: isPlain ? limit : limit && Math.max(limit, wholeList.over) });
  if (named.total === 0 && !references) return pageOf({ exact: false });
  if (limit === 0 || (isPlain && named.cursor !== undefined)) return named;
  const isCut = !isPlain && (limit === undefined || named.total > limit);
  const { symbols, isSure, unrelated } = rankSymbols(named.items, isCut);
  const hasVariables = isCut && symbols.at(-1)?.rank === ranks.variable;
  const needsNear = !isPlain && (!references || !isSure || hasVariables);
  const found = needsNear ? (await pageOf({ exact: false, references: undefined, limit: maxNear.read })).items : [];
  const near = rankNear(found, name);
  const words = isSure ? [] : near.filter(({ score }) => score < 2).slice(0, references ? maxNear.used : maxNear.shown);
  const rows = [];
  for (const one of words) {
    const page = references ? await pageOf({ name: one.symbol.name, exact: true, limit: undefined }) : undefined;
    const all = page && rankSymbols(page.items, true).symbols.filter(({ rank }) => rank < ranks.word);
    rows.push(...(all ?? [one]).slice(0, maxFew).map((row) => ({ ...row, rank: ranks.word })));
  }
  const firstCut = rows.length > 0 ? ranks.unclear : ranks.variable;
  let few = 0;
  const shown = [...symbols, ...rows]
    .toSorted((a, b) => a.rank - b.rank)
    .filter(({ rank }) => !isCut || rank < firstCut || (few += 1) <= maxFew)
    .slice(0, limit);
  const total = named.total - unrelated + rows.length;
  const others = near.filter((one) => !words.includes(one)).slice(0, maxNear.shown);
  const places = others.map(({ path, symbol }) => `${symbol.name} (${path}:${symbol.line})`).join(", ");
  const hints = [
    named.hint,
    references && named.total > 0 && owners.length > 0 && `References are by name: these use ${name} of any owner.`,
    shown.length < total && `Not all is shown; exact: true shows all of ${name}.`,
    places && `Names that contain it: ${places}.`,
  ];
  const hint = hints.filter(Boolean).join(" ") || undefined;
  const files = [...Map.groupBy(shown, ({ path }) => path)];
  const items = files.map(([path, all]) => ({ path, symbols: all.map(({ symbol }) => symbol) }));
  return { ...named, items, total, cursor: limit === undefined || isPlain ? named.cursor : undefined, hint };
}

function searchOf({ name, references, exact = false }: Request): SourceSearch {
  if (name === undefined) return { task: { kind: "symbols" } };
  const { name: part, owners } = splitName(name);
  const text = { literal: part, ignoreCase: !exact };
  if (references === true) return { text, task: { kind: "references", name: part, owners } };
  return { text, task: { kind: "symbols", name: exact ? part : part.toLowerCase(), owners, exact } };
}

/**
 * Splits a name, or a part of one, from its owners: `Store.put`, `Store::put`.
 *
 * @throws ToolError `invalid_input` for a name with a line break or NUL
 */
function splitName(qualified: string): { readonly name: string; readonly owners: readonly string[] } {
  if (/[\0\r\n]/.test(qualified)) throw new ToolError("invalid_input", "name: expected no line break or NUL");
  const parts = qualified.split(/::|[.#]/);
  const name = parts.pop() ?? "";
  return { name, owners: parts.filter((part) => part !== "").map((part) => part.toLowerCase()) };
}

type Symbols = readonly z.output<typeof symbolSchema>[];

/** Renders the definitions of a file, then the references to them. */
function renderSymbols(symbols: Symbols): readonly string[] {
  const definitions = symbols.filter(({ text }) => text === undefined);
  const references = symbols.flatMap(({ text, line, in: around }) =>
    text === undefined ? [] : [{ line, text, in: around }],
  );
  return [...definitions.map(line), ...renderNamedLines(references)];
}

function line({ name, kind, line, endLine, in: around }: Symbols[number]): string {
  const lines = line === endLine ? `${line}` : `${line}-${endLine}`;
  return `${lines} ${kind} ${around === undefined ? name : `${around}.${name}`}`;
}
