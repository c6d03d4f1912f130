import type { ContentBlock } from "@toolpacks/core";

export const readModes = ["whole", "slice", "lines", "grep", "pick", "query", "length"] as const;

/** The arguments of `relay_read`. */
export interface RelayReadRequest {
  readonly handle: string;
  /**
   * Default: what `pattern` looks like, `query` for SQL, `pick` for a JSONPath, otherwise `grep`. Without a pattern `slice` where
   * `start` or `count` is given, and otherwise `whole`: the first page of the value.
   */
  readonly mode?: (typeof readModes)[number];
  /** Characters from 0, lines from 1; negative: from the end. With grep, pick and query, the number of results to skip. */
  readonly start?: number;
  /** Number of characters, lines, matches or rows. Default: one page. */
  readonly count?: number;
  /** For grep a regular expression in RE2 syntax, for pick a JSONPath, for query a SELECT over the table `t`. */
  readonly pattern?: string;
  /** Context lines around a match. Default 0. */
  readonly window?: number;
}

export interface RelayReply {
  /** A text, or an image or sound. */
  readonly blocks: readonly ContentBlock[];
}
