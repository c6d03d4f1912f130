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
      const { exact, references, ...others } = request;
      const isOneFile = request.path !== undefined && (await isFile(context.roots, request.path));
      const keyed = (isExact?: boolean) => ({ ...others, exact: isExact, references: references || undefined });
      const pageOf = async (isExact?: boolean) => {
        const list = isOneFile || isExact === true ? wholeList : context.list;
        const settings = { ...context, list, signal };
        const found = sourcePage<CodeSymbol | CodeReference>(keyed(isExact), searchOf(request, isExact), settings);
        const { files, rest } = await found;
        return { items: files.map(({ path, found }) => ({ path, symbols: found })), ...rest };
      };
      const namesNear = async () => {
        const near = sourcePage<CodeSymbol>({ ...others, limit: maxNear }, searchOf(others), { ...context, signal });
        return nearHint((await near).files, others);
      };
      if (references === true) requireName(request);
      else if (request.name === undefined || exact !== undefined) return pageOf(exact);
      const { limit: _limit, cursor, ...searchKey } = keyed(true);
      if (cursor !== undefined) return pageOf(references === true || isCursorOf(searchKey, cursor));
      const named = await pageOf(true);
      if (named.total === 0 && references !== true) return pageOf(false);
      const isRanked = references === true && !isOneFile && request.limit === undefined;
      const { items, isFew, isDefined } = isRanked ? rankFiles(named.items) : { items: named.items };
      const isWhole = references === true && isFew !== true && isDefined !== false;
      const near = isWhole || request.limit === 0 ? undefined : await namesNear();
      const hints = [named.hint, hintOn(request, named.total), isFew && fewHint, near];
      return { ...named, items, hint: hints.filter(Boolean).join(" ") || undefined };
    },
  });
}

/** What an exact search has left out, or does not know. */
function hintOn({ name = "", references = false }: z.output<typeof input>, total: number): string | undefined {
  const { name: part, owners } = splitName(name);
  return references && total > 0 && owners.length > 0
    ? `References are by name: these use ${part} of any owner.`
    : undefined;
}

type Files = z.output<typeof output>["items"];

const fewHint = "Of variables and properties only a few lines are shown; limit shows all.";

const lesserKinds: ReadonlySet<string> = new Set(["constant", "variable", "reference", "use"]);

/** Puts files that define a function or a type first. Of files where the name is only a variable or a property, a few lines are last. */
function rankFiles(files: Files) {
  const ranks = Map.groupBy(files, ({ symbols }) => {
    if (symbols.some(({ kind }) => !lesserKinds.has(kind))) return "defining";
    return symbols[0]?.kind === "use" ? "variable" : "using";
  });
  const { defining = [], using = [], variable = [] } = Object.fromEntries(ranks);
  const few = variable.slice(0, 3).map(({ path, symbols }) => ({ path, symbols: symbols.slice(0, 2) }));
  return { items: [...defining, ...using, ...few], isFew: few.length > 0, isDefined: defining.length > 0 };
}

/** Maximum definitions that are read, and shown, to name those whose names contain the wanted one. */
const maxNear = 500;
const maxNearShown = 8;

/** Names functions and types whose names contain the wanted one, each with a place, shortest first. */
function nearHint(
  files: readonly { readonly path: string; readonly found: readonly CodeSymbol[] }[],
  { name = "" }: { readonly name?: string | undefined },
): string | undefined {
  const { name: own } = splitName(name);
  const symbols = files.flatMap(({ path, found }) => found.map((one) => ({ ...one, path })));
  const others = symbols.filter((one) => !lesserKinds.has(one.kind) && one.name !== own && one.in !== own);
  const places = new Map(others.map((one) => [one.name, `${one.name} (${one.path}:${one.line})`]));
  const shown = [...places].sort(([a], [b]) => a.length - b.length).slice(0, maxNearShown);
  return shown.length === 0 ? undefined : `Names that contain it: ${shown.map(([, place]) => place).join(", ")}.`;
}

/** A list of one file, or of one name, is shown whole up to this number of symbols. */
const wholeList = { over: 300, show: 300 };

/** @throws ToolError `invalid_input` if a search for references has no name, or a part of one */
function requireName({ name, exact }: z.output<typeof input>): void {
  if (name === undefined) throw new ToolError("invalid_input", "references: expected with a name");
  if (exact === false) throw new ToolError("invalid_input", "exact: expected true or nothing with references");
}

function searchOf({ name, references }: z.output<typeof input>, exact = false): SourceSearch {
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
