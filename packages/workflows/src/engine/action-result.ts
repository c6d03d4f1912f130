import type { AskedModel, Failure } from "@toolpacks/core";
import type { Counts } from "./run.ts";

/** The result of a step's action. */
export type ActionResult = {
  /** Steps inside it. */
  readonly counts?: Counts;
  /** What a script printed. */
  readonly printed?: string;
} & (
  | { readonly status: "ok"; readonly value: unknown; readonly summary: string; readonly asked?: AskedModel }
  | { readonly status: "failed"; readonly failure: Failure }
  /** The run is dry, and the action would have changed something. */
  | { readonly status: "dry"; readonly params: unknown; readonly reason?: string }
  /** The step goes on in a later run. */
  | { readonly status: "waiting"; readonly reason: string }
);

const maxSummaryLength = 160;

/** The first line of a text, cut to a limit. */
export function summarize(text: string): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length <= maxSummaryLength ? line : `${line.slice(0, maxSummaryLength).toWellFormed()}…`;
}
