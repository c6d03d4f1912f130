import type { Failure } from "@toolpacks/core";
import type { Counts } from "./run.ts";

/** What came of what a step does. */
export type ActionResult =
  | { readonly status: "ok"; readonly value: unknown; readonly summary: string; readonly inside?: Inside }
  | { readonly status: "failed"; readonly failure: Failure; readonly inside?: Inside }
  /** It would have changed something, and the run is dry. */
  | { readonly status: "dry"; readonly params: unknown; readonly inside?: Inside };

/** What steps inside did. */
export interface Inside {
  readonly counts: Counts;
  readonly durable: boolean;
}

const maxSummaryLength = 160;

/** The first line of a text, cut. */
export function summarize(text: string): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length <= maxSummaryLength ? line : `${line.slice(0, maxSummaryLength).toWellFormed()}…`;
}
