import type { ContentBlock } from "@toolpacks/core";

export const readModes = ["whole", "slice", "lines", "grep", "pick", "length"] as const;

/** A request to look into a value, as `relay_read` takes it. */
export interface RelayReadRequest {
  readonly handle: string;
  /** Default `whole`: the value from its beginning, as much as a page takes. With `start` or `count`, `whole` is `slice`. */
  readonly mode?: (typeof readModes)[number];
  /** Characters from 0, lines from 1; negative: from the end. With grep and pick, how many to pass over. */
  readonly start?: number;
  /** How many characters, lines or matches. Default: as many as a page takes. */
  readonly count?: number;
  /** For grep a regular expression in RE2's syntax, for pick a JSONPath. */
  readonly pattern?: string;
  /** Lines around a match. Default 0. */
  readonly window?: number;
}

export interface RelayReply {
  /** A text; or an image or sound, where the value is one. */
  readonly blocks: readonly ContentBlock[];
}
