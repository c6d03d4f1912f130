import { ToolError } from "@toolpacks/core";
import type { SearchContext } from "../context.ts";
import { languageGlobs, languageOf, type LanguageName } from "../languages/language.ts";
import { openCursor } from "../paging/cursor.ts";
import { pageEnding } from "../paging/page-ending.ts";
import { Page } from "../paging/page.ts";
import { selectionArguments, type Selection } from "../ripgrep/selection.ts";
import { foundPaths, searchTargets, type Target } from "../target.ts";
import { parseSource, type Parsed } from "./parser-process.ts";
import type { ParserTask } from "./parser-task.ts";
import { patternHint } from "./pattern.ts";
import { readSource } from "./read-source.ts";
import type { Skipped } from "./render-sources.ts";

/** Maximum number of skipped files that a page names. */
const maxSkippedShown = 20;

/** The common arguments of searches in parsed sources. */
export interface SourceRequest {
  readonly path?: string | undefined;
  readonly globs?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface SourceSearch {
  /** The language to search. Default: all languages. */
  readonly language?: LanguageName | undefined;
  /** Only files that contain this text are parsed. */
  readonly text?: { readonly literal: string; readonly ignoreCase: boolean } | undefined;
  /** What to find in each file. */
  readonly task: ParserTask["search"];
}

interface InFile<T> {
  readonly path: string;
  readonly found: T;
}

/** A page of hits in parsed sources, grouped by file. */
interface SourcePage<T> {
  readonly files: readonly { readonly path: string; readonly found: T[] }[];
  readonly rest: ReturnType<typeof pageEnding> & { readonly skipped?: Skipped[] };
}

/** Searches the sources of a tree, in the order of paths, until the page is full. */
export async function sourcePage<T>(
  request: SourceRequest,
  search: SourceSearch,
  context: SearchContext & { readonly signal: AbortSignal },
): Promise<SourcePage<T>> {
  const { roots, timeoutMs, list, signal } = context;
  const { limit, cursor, ...searchKey } = request;
  const after = openCursor(searchKey, cursor);
  const page = new Page<InFile<T>>({ limit, maxItems: list.over, after });
  const selection = { globs: request.globs, names: languageGlobs(search.language) };
  let unreadFiles = 0;
  let counted = (after?.target ?? 0) === 0;
  const skipped: Skipped[] = [];
  const searchFile = async (target: Target, path: string, deadline: AbortSignal): Promise<boolean> => {
    const source = readSource(roots, path);
    if (source === undefined) unreadFiles += 1;
    const language = languageOf(path, source ?? "", search.language);
    if (source === undefined || language === undefined) return true;
    const task = { parser: language.parser, source, maxFound: page.maxFromOneFile, search: search.task };
    const parsed = await find(task, deadline);
    if (parsed.kind === "skipped") {
      skipped.push({ path, reason: parsed.reason });
      return true;
    }
    const found = parsed.found.map((one) => ({ found: one as T, path }));
    return addAll(page, target.index, { found, total: parsed.total });
  };
  const wanted = { path: request.path, selection, signal };
  const timedOut = await searchTargets(wanted, context, async (target, deadline) => {
    if (target.index < (after?.target ?? 0)) return true;
    for await (const path of sourceFiles(target, selection, search.text)) {
      deadline.throwIfAborted();
      if (await searchFile(target, path, deadline)) continue;
      counted = false;
      return false;
    }
    return true;
  });
  const { items, compacted, next } = page.finish(list);
  const ending = { counted: counted && skipped.length === 0, unreadFiles, skipped: skipped.length };
  const files = Map.groupBy(items, ({ path }) => path);
  return {
    files: [...files].map(([path, all]) => ({ path, found: all.map(({ found }) => found) })),
    rest: {
      ...(skipped.length > 0 && { skipped: skipped.slice(0, maxSkippedShown) }),
      ...pageEnding({ ...ending, request, searchKey, total: page.total, next, compacted, timedOut, timeoutMs }),
    },
  };
}

/** @throws ToolError `invalid_input` for an invalid pattern */
async function find(task: ParserTask, signal: AbortSignal): Promise<Exclude<Parsed, { kind: "problem" }>> {
  const parsed = await parseSource(task, signal);
  if (parsed.kind !== "problem") return parsed;
  throw new ToolError("invalid_input", `pattern: ${parsed.problem}`, patternHint);
}

/** Adds a file's hits. Returns false once the page is full. The other hits of the file are counted. */
function addAll<T>(
  page: Page<InFile<T>>,
  target: number,
  { found, total }: { readonly found: readonly InFile<T>[]; readonly total: number },
): boolean {
  for (const [at, item] of found.entries()) {
    if (page.add(target, item)) continue;
    page.total += total - at - 1;
    return false;
  }
  page.total += total - found.length;
  return true;
}

/** Yields the paths of files that may contain a hit, in order. */
async function* sourceFiles(target: Target, selection: Selection, text: SourceSearch["text"]): AsyncGenerator<string> {
  if (target.file !== undefined) {
    yield target.file.shown;
    return;
  }
  const caseOf = text?.ignoreCase === true ? "--ignore-case" : "--case-sensitive";
  const withText = ["--files-with-matches", "--no-mmap", "--fixed-strings", caseOf, `--regexp=${text?.literal}`];
  const what = text === undefined ? ["--files"] : withText;
  const args = [...selectionArguments(selection), "--null", "--sort=path", "--line-buffered", ...what];
  for await (const paths of foundPaths(target, args)) yield* paths;
}
