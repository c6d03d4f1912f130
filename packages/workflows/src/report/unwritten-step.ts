import type { Entry } from "./entry.ts";

/** A step that is over, with its result where that is to be written. */
export interface UnwrittenStep {
  readonly entry: Entry;
  readonly order: string;
  readonly json: string | undefined;
}
