import { filterContained } from "../filter-contained.ts";
import type { SearchContext } from "../context.ts";
import { openCursor } from "../paging/cursor.ts";
import { fillPage } from "../paging/fill-page.ts";
import { pageEnding } from "../paging/page-ending.ts";
import { Page } from "../paging/page.ts";
import { captureGroups } from "../ripgrep/capture-groups.ts";
import { matchLines, type MatchLine } from "../ripgrep/match-lines.ts";
import type { TextPage } from "./text-page.ts";
import { linesAround, searchKeyOf, textArguments, type TextRequest } from "./text-request.ts";
import { foundPaths, searchTargets, type Target } from "../target.ts";
import { addEnclosing } from "./add-enclosing.ts";
import { rejectBinary } from "./reject-binary.ts";

/** A found line, or a found file in mode `files`. */
type Find = Pick<MatchLine, "path"> & Partial<MatchLine>;

/** Reads a page of `search_text` in the modes `matches` and `files`. */
export async function matchPage(request: TextRequest, context: SearchContext, signal: AbortSignal): Promise<TextPage> {
  const { roots, timeoutMs, list } = context;
  const searchKey = searchKeyOf(request);
  const after = openCursor(searchKey, request.cursor);
  const page = new Page<Find>({ limit: request.limit, maxItems: list.over, after });
  let counted = (after?.target ?? 0) === 0;
  const wanted = { path: request.path, selection: request, signal };
  const timedOut = await searchTargets(wanted, context, async (target, deadline) => {
    if (target.index < (after?.target ?? 0)) return true;
    await rejectBinary(target, deadline);
    const isCounted = await fillPage(page, target.index, finds(target, request));
    if (!isCounted || (page.full && !target.isLast)) counted = false;
    return !page.full;
  });
  const { items: taken, compacted, next } = page.finish(list);
  const items = groupByFile(filterContained(roots, taken), request);
  return {
    items: request.mode === "files" ? items : await addEnclosing(items, roots, signal),
    ...pageEnding({ request, searchKey, total: page.total, next, compacted, counted, timedOut, timeoutMs }),
  };
}

async function* finds(target: Target, request: TextRequest): AsyncGenerator<readonly Find[]> {
  const files = request.mode === "files";
  const { before, after } = linesAround(request);
  const groups = files || request.literal === true ? undefined : captureGroups(request.pattern);
  const args = [
    ...textArguments(request),
    // Line buffering, because a page is full long before ripgrep's buffer is.
    "--sort=path",
    "--line-buffered",
    ...(files
      ? ["--files-with-matches", "--null"]
      : ["--json", `--before-context=${before}`, `--after-context=${after}`]),
    ...(groups === undefined ? [] : [`--replace=${groups.replacement}`]),
  ];
  if (files) {
    for await (const paths of foundPaths(target, args)) yield paths.map((path) => ({ path }));
    return;
  }
  for await (const batch of matchLines(target.run(args), groups)) {
    yield batch.flatMap((find) => {
      const path = target.show(find.path);
      return path === undefined ? [] : [{ ...find, path }];
    });
  }
}

function groupByFile(finds: readonly Find[], request: TextRequest): TextPage["items"] {
  const files = Map.groupBy(finds, ({ path }) => path);
  return [...files].map(([path, found]) => {
    if (request.mode === "files") return { path };
    const last = found.findLast(({ isMatch }) => isMatch)?.line ?? 0;
    // Drop the context lines of the next page's first match.
    const near = found.filter(({ line = 0 }) => line <= last + linesAround(request).after);
    return {
      path,
      lines: near.map(({ line = 0, text = "", groups, isMatch }) => ({
        line,
        text,
        ...(groups && { groups }),
        ...(isMatch !== true && { context: true }),
      })),
    };
  });
}
