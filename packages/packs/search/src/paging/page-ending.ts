import { makeCursor, type Position } from "./cursor.ts";

interface Ended {
  /** What must be the same on the next page. */
  readonly asked: unknown;
  /** Where the page ended; undefined when nothing follows. */
  readonly next: Position | undefined;
  readonly compacted: boolean;
  readonly timedOut: boolean;
  readonly timeoutMs: number;
  /** Whether the total is that of all hits. Default true. */
  readonly counted?: boolean;
  /** How many files were not looked into. */
  readonly passedOver?: number;
  /** How many could not be parsed. */
  readonly skipped?: number;
}

/** What a page says beyond its items and their total. */
export interface PageEnding {
  readonly cursor?: string;
  readonly compacted?: true;
  readonly partial?: true;
  /** What to do where not everything is shown. */
  readonly hint?: string;
}

/** After a search whose time was up nothing can be gone on from: it would end there again. */
export function pageEnding({ asked, next, counted = true, ...ended }: Ended): PageEnding {
  const { compacted, timedOut } = ended;
  const hints = hintsOf(ended);
  return {
    ...(next !== undefined && !timedOut && { cursor: makeCursor(asked, next) }),
    ...(compacted && { compacted }),
    ...((!counted || timedOut) && { partial: true }),
    ...(hints.length > 0 && { hint: hints.join(" ") }),
  };
}

type Hinted = Pick<Ended, "compacted" | "timedOut" | "timeoutMs" | "passedOver" | "skipped">;

function hintsOf({ compacted, timedOut, timeoutMs, passedOver = 0, skipped = 0 }: Hinted): readonly string[] {
  return [
    ...(timedOut
      ? [`Stopped after ${timeoutMs / 1000} s, with files left unsearched. Give a deeper path or globs.`]
      : []),
    ...(passedOver > 0
      ? [`${passedOver} ${passedOver === 1 ? "file was" : "files were"} passed over: larger than 1 MiB, or unreadable.`]
      : []),
    ...(skipped > 0
      ? [`${skipped} ${skipped === 1 ? "file was" : "files were"} skipped, because they could not be parsed.`]
      : []),
    ...(compacted ? ["Give limit to see more at once, or narrow with path or globs."] : []),
  ];
}
