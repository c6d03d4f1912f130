import type { MatchLine } from "../ripgrep/match-lines.ts";
import type { TextPage } from "./text-page.ts";
import { linesAround, type TextRequest } from "./text-request.ts";

/** Groups hits into one item for each file. */
export function groupByFile(
  finds: readonly (Pick<MatchLine, "path"> & Partial<MatchLine>)[],
  request: TextRequest,
): TextPage["items"] {
  const files = Map.groupBy(finds, ({ path }) => path);
  return [...files].map(([path, found]) => {
    if (request.mode === "files") return { path };
    const last = found.findLast(({ isMatch }) => isMatch)?.line ?? 0;
    // Drop the context lines of the next page's first match.
    const near = found.filter(({ line = 0 }) => line <= last + linesAround(request).after);
    return {
      path,
      lines: near.map(({ line = 0, text = "", isMatch }) => ({
        line,
        text,
        ...(isMatch !== true && { context: true }),
      })),
    };
  });
}
