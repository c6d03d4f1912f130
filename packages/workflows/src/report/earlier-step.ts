import type { Entry } from "./entry.ts";

/** A step that an earlier run finished. */
export interface EarlierStep {
  readonly entry: Entry;
  readonly order: string;
  readonly result: () => Promise<unknown>;
}
