import { makeCursor, type Position } from "./cursor.ts";

interface Ended {
  /** The arguments that must be the same for the next page. */
  readonly searchKey: unknown;
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

/** The fields of a page after its items and total. */
export interface PageEnding {
  readonly cursor?: string;
  readonly compacted?: true;
  readonly partial?: true;
  /** How to see hits that are not shown. */
  readonly hint?: string;
}

/** Creates the fields. After a timeout there is no cursor: the next page would time out again. */
export function pageEnding({ searchKey, next, counted = true, ...ended }: Ended): PageEnding {
  const { compacted, timedOut } = ended;
  const hints = hintsOf(ended);
  return {
    ...(next !== undefined && !timedOut && { cursor: makeCursor(searchKey, next) }),
    ...(compacted && { compacted }),
    ...((!counted || timedOut) && { partial: true }),
    ...(hints.length > 0 && { hint: hints.join(" ") }),
  };
}

type Hinted = Pick<Ended, "compacted" | "timedOut" | "timeoutMs" | "unreadFiles" | "skipped">;
function hintsOf({ compacted, timedOut, timeoutMs, unreadFiles = 0, skipped = 0 }: Hinted): readonly string[] {
  const files = (count: number) => `${count} ${count === 1 ? "file was" : "files were"}`;
  return [
    timedOut && `Stopped after ${timeoutMs / 1000} s, with files left unsearched. Give a deeper path or globs.`,
    unreadFiles > 0 && `${files(unreadFiles)} passed over: larger than 1 MiB, or unreadable.`,
    skipped > 0 && `${files(skipped)} skipped, because they could not be parsed.`,
    compacted && "Give limit to see more at once.",
  ].filter((hint) => hint !== false);
}
