import { globHint } from "@toolpacks/files";
import { makeCursor, type Position } from "./cursor.ts";

interface Ended {
  readonly request: { readonly path?: string | undefined; readonly globs?: readonly string[] | undefined };
  /** The arguments that must be the same for the next page. */
  readonly searchKey: unknown;
  readonly total: number;
  /** The position at which the page ends; undefined if it is the last page. */
  readonly next: Position | undefined;
  readonly compacted: boolean;
  readonly timedOut: boolean;
  readonly timeoutMs: number;
  /** Whether the total counts all hits. Default true. */
  readonly counted?: boolean;
  /** Number of files that were too large or unreadable. */
  readonly unreadFiles?: number;
  /** Number of files that could not be parsed. */
  readonly skipped?: number;
}

/** The fields of a page after its items. After a timeout there is no cursor: the next page would time out again. */
export function pageEnding(ended: Ended) {
  const { searchKey, total, next, compacted, timedOut, counted = true } = ended;
  return {
    total,
    cursor: next === undefined || timedOut ? undefined : makeCursor(searchKey, next),
    compacted: compacted || undefined,
    partial: !counted || timedOut || undefined,
    hint: hintsOf(ended).join(" ") || undefined,
  };
}

function hintsOf(ended: Ended): readonly string[] {
  const { request, total, compacted, timedOut, timeoutMs, unreadFiles = 0, skipped = 0 } = ended;
  const files = (count: number) => `${count} ${count === 1 ? "file was" : "files were"}`;
  return [
    total === 0 && globHint(request.path, request.globs),
    timedOut && `Stopped after ${timeoutMs / 1000} s, with files left unsearched. Give a deeper path or globs.`,
    unreadFiles > 0 && `${files(unreadFiles)} passed over: larger than 1 MiB, or unreadable.`,
    skipped > 0 && `${files(skipped)} skipped, because they could not be parsed.`,
    compacted && "Give limit to see more at once.",
  ].filter((hint) => typeof hint === "string");
}
