import type { Entry } from "./entry.ts";

/** A finished step, with its result if that must be written. */
export interface UnwrittenStep {
  readonly entry: Entry;
  readonly order: string;
  readonly json: string | undefined;
}
