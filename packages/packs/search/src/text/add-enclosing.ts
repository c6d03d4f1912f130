import { ToolError } from "@toolpacks/core";
import type { Roots } from "@toolpacks/files";
import { languageOf } from "../languages/language.ts";
import type { EnclosingSymbol } from "../languages/symbols.ts";
import { parseSource } from "../sources/parser-process.ts";
import { readSource } from "../sources/read-source.ts";
import { isTimeout } from "../target.ts";
import type { TextPage } from "./text-page.ts";

/** Maximum number of files that are parsed for one page. */
const maxFiles = 20;
/** Maximum time for all files of a page, in ms. Further matches are shown without their definition. */
const maxMs = 2_000;

type Items = TextPage["items"];

/** Adds the innermost definition around each match, by parsing the first shown files. */
export async function addEnclosing(items: Items, roots: Roots, signal: AbortSignal): Promise<Items> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  const named: Items = [];
  try {
    for (const item of items.slice(0, maxFiles)) named.push(await withEnclosing(item, roots, deadline));
  } catch (error) {
    signal.throwIfAborted();
    // Without parsers, or after the time, the matches are the answer.
    if (!isTimeout(error) && !ToolError.is(error)) throw error;
  }
  return [...named, ...items.slice(named.length)];
}

async function withEnclosing(item: Items[number], roots: Roots, deadline: AbortSignal): Promise<Items[number]> {
  const { path, lines = [] } = item;
  // The extension decides for most files, so that no other file is read.
  if (languageOf(path, "") === undefined) return item;
  const source = readSource(roots, path);
  const language = languageOf(path, source ?? "");
  if (source === undefined || language === undefined) return item;
  const matches = lines.filter(({ context }) => context !== true).map(({ line }) => line);
  const search = { kind: "enclosing", lines: matches } as const;
  const parsed = await parseSource({ parser: language.parser, source, maxFound: matches.length, search }, deadline);
  if (parsed.kind !== "found") return item;
  const names = new Map((parsed.found as readonly EnclosingSymbol[]).map(({ line, name }) => [line, name]));
  return {
    ...item,
    lines: lines.map((one) => {
      const name = one.context === true ? undefined : names.get(one.line);
      return name === undefined ? one : { ...one, in: name };
    }),
  };
}
