import type { ContentBlock } from "@toolpacks/core";

export const readModes = ["whole", "slice", "lines", "grep", "pick", "length"] as const;

/** The arguments of `relay_read`. */
export interface RelayReadRequest {
  readonly handle: string;
  /** Default `whole`: the first page of the value. With `start` or `count`, `whole` means `slice`. */
  readonly mode?: (typeof readModes)[number];
  /** Characters from 0, lines from 1; negative: from the end. With grep and pick, the number of results to skip. */
  readonly start?: number;
  /** Number of characters, lines or matches. Default: one page. */
  readonly count?: number;
  /** For grep a regular expression in RE2 syntax, for pick a JSONPath. */
  readonly pattern?: string;
  /** Context lines around a match. Default 0. */
  readonly window?: number;
}

export interface RelayReply {
  /** A text, or an image or sound. */
  readonly blocks: readonly ContentBlock[];
}
